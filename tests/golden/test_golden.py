"""Every recorded fit comes out as it is on record."""

import pytest

from golden.cases import Case, cases
from golden.files import FOLDER, NEARLY, differences, fingerprint, record, recorded

CASES = list(cases())


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.file}: {case.name}")
def test_a_recorded_fit_is_the_same(case: Case) -> None:
    kept = recorded(case.file)
    then, now = kept["fits"][case.name], record(case)
    same_platform = kept["platform"] == fingerprint()
    assert not list(differences(then["certificate"], now["certificate"], nearly=0.0 if same_platform else NEARLY))
    if not same_platform:
        pytest.skip(f"bits were recorded on {kept['platform']}, here is {fingerprint()}; certificates agree")
    assert not list(differences(then["bits"], now["bits"]))


def test_every_record_has_a_case_and_every_case_a_record() -> None:
    on_record = {(path.stem, name) for path in FOLDER.glob("*.json") for name in recorded(path.stem)["fits"]}
    assert on_record == {(case.file, case.name) for case in CASES}


def test_differences_are_seen() -> None:
    then = {"bits": {"coef_": [(1.5).hex(), (0.1).hex()]}, "certificate": {"scale": 1.0, "notes": ["a"]}}
    assert not list(differences(then, then))
    assert list(differences(then["bits"], {"coef_": [(1.5).hex(), (0.1 + 2**-56).hex()]})) != []
    assert list(differences(then["certificate"], {"scale": 1.0 + 1e-12, "notes": ["a"]})) != []
    assert list(differences(then["certificate"], {"scale": 1.0 + 1e-6, "notes": ["a"]}, nearly=NEARLY)) != []
    assert list(differences(then["certificate"], {"scale": 1.0, "notes": []})) != []
    assert list(differences(then["certificate"], {"scale": 1.0, "notes": ["a"], "more": 1})) != []
