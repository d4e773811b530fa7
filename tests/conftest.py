"""What all tests share: hypothesis draws the same examples everywhere, so that a red test stays red."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile(
    "tinyxf",
    max_examples=40,
    derandomize=True,
    deadline=None,  # two busy cores say little about a function
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("tinyxf")
