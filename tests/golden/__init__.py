"""Seeded fits whose bits and certificates are on record: a change of structure must leave every one of them alone.

    cd tests && python -m golden check             which recorded fits come out differently, and where
    cd tests && python -m golden record [NAMES]    record them anew (all, or those whose name contains one of NAMES)

`cases` lists the fits, `files` keeps and compares them, `recorded/` has one JSON file for each estimator. A change that
means to alter a number records anew and says so; the difference of the JSON files then shows exactly what it altered.
"""
