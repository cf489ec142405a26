"""Every model does what its capabilities promise."""

import numpy as np
import pytest

from steelyard import Judgments
from steelyard.kinds.known import PROTOCOLS
from steelyard.models.known import MODELS, model_named
from steelyard.models.model import forecasting, learn_all, online, refitting
from steelyard.scales.belief import BetaBelief
from steelyard.selection.early_stop import WorthBelief
from steelyard.selection.information import AnswerBelief
from steelyard.selection.known import SELECTIONS
from steelyard.study.definition.earlier_defaults import default_model_for

ITEMS = np.array(["tea", "milk", "soup"])
STATED = {"beta": BetaBelief, "answer_variance": AnswerBelief, "rater_worth": WorthBelief}


@pytest.mark.parametrize("name", MODELS.built_in)
def test_a_belief_has_the_features_that_its_model_declares(name):
    model = online(model_named(name))
    if model is None:
        assert model_named(name).capabilities.belief == frozenset()
        return
    belief = model.start(ITEMS)
    for feature, shape in STATED.items():
        assert (feature in model.capabilities.belief) == isinstance(belief, shape)
    if model.capabilities.belief & {"skills", "intervals"}:
        assert np.all((belief.position >= 0) & (belief.position <= 1))


@pytest.mark.parametrize("name", MODELS.built_in)
def test_models_that_refit_or_predict_also_learn_online(name):
    model = model_named(name)
    if refitting(model) is not None or forecasting(model) is not None:
        assert online(model) is not None


def test_without_judgments_the_belief_is_the_prior():
    model = online(model_named("steelyard"))
    assert learn_all(model, ITEMS, Judgments.of(())).position.tolist() == model.start(ITEMS).position.tolist()


@pytest.mark.parametrize("selection", SELECTIONS.built_in)
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_default_model_of_a_selection_has_the_belief_that_it_needs(selection, protocol):
    traits, asks = SELECTIONS[selection].traits, PROTOCOLS[protocol]
    if asks.against and traits.stand_in:
        traits = SELECTIONS[traits.stand_in].traits
    if traits.learns and set(traits.default_models) & set(asks.kinds):
        capabilities = model_named(default_model_for(asks, selection)).capabilities
        assert capabilities.online
        assert traits.needs <= capabilities.belief
