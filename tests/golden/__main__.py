"""`python -m golden check` and `python -m golden record [NAMES]`."""

import sys

from golden.cases import Case, cases
from golden.files import FOLDER, differences, record, recorded, write


def check(chosen: list[Case]) -> int:
    """Print every difference; the exit code is 1 if there is one."""
    found = [
        f"{case.file}: {case.name} {difference}"
        for case in chosen
        for difference in differences(recorded(case.file)["fits"].get(case.name), record(case))
    ]
    print("\n".join(found) if found else f"{len(chosen)} fits, all as recorded")
    return 1 if found else 0


def renew(chosen: list[Case]) -> int:
    """Record the chosen fits; records of cases that are gone are dropped."""
    for file in {case.file for case in chosen}:
        kept = recorded(file)["fits"] if (FOLDER / f"{file}.json").is_file() else {}
        fits = {case.name: record(case) if case in chosen else kept[case.name] for case in cases_of(file, chosen)}
        write(file, fits)
    print(f"{len(chosen)} fits recorded")
    return 0


def cases_of(file: str, chosen: list[Case]) -> list[Case]:
    """All cases of a file, the chosen ones as they were chosen."""
    by_name = {case.name: case for case in chosen if case.file == file}
    return [by_name.get(case.name, case) for case in cases() if case.file == file]


def main() -> int:
    verb, *names = sys.argv[1:] or ["check"]
    chosen = [case for case in cases() if not names or any(name in f"{case.file}: {case.name}" for name in names)]
    return {"check": check, "record": renew}[verb](chosen)


if __name__ == "__main__":
    sys.exit(main())
