"""From a model file to a fitted estimator: nothing in the file is believed before it is checked."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from tacit.errors import TacitError
from tacit.estimators.declarations import declaration_from_dict
from tacit.estimators.model_file import WRONG_CONTENT, ModelFile, damaged, read_model_file
from tacit.estimators.parameters import Models, estimator_from_plain


def loaded(path: Path, models: Models) -> Any:
    """The estimator of a file. What it would save again is what the file holds, or the file is refused as damaged."""
    kept = read_model_file(path)
    try:
        with np.errstate(all="ignore"):  # a number may be absurd, and is a number
            model = _restored(kept, models)
        if json.loads(model.model_file().to_bytes()) != json.loads(path.read_bytes()):
            raise ValueError("its parts do not fit together")
    except TacitError as problem:
        raise type(problem)(f"{path.name}: {problem}") from None
    except WRONG_CONTENT as problem:
        raise damaged(path.name, problem) from None
    return model


def _restored(kept: ModelFile, models: Models) -> Any:
    domain = declaration_from_dict(kept.declaration)
    model = estimator_from_plain(kept.estimator, kept.parameters, domain, models)
    model.restore(kept)
    str(model.certificate_)  # every field is shown once
    if hasattr(model, "summary") and getattr(model, "met_", True):
        str(model.summary())  # and every released number used
    return model
