#!/usr/bin/env python3
"""Trains scikit-learn and LightGBM models on made-up data and writes them with their inputs and outputs.

    make_sklearn_models.py OUT         OUT/NAME/model.onnx, test_data_set_0/{input,output}_K.pb and case.json

Expected outputs are ONNX Runtime's, and have to be the library's own (labels equal, numbers to 1e-4). Prints the number of models.
"""
import json
import pathlib
import sys
import warnings

import numpy as np
import onnx.helper
import onnxruntime
from onnx import numpy_helper
from skl2onnx import to_onnx, update_registered_converter
from skl2onnx.common.data_types import FloatTensorType, StringTensorType
from skl2onnx.common.shape_calculator import calculate_linear_classifier_output_shapes, calculate_linear_regressor_output_shapes
from onnxmltools.convert.lightgbm.operator_converters.LightGbm import convert_lightgbm
from lightgbm import LGBMClassifier, LGBMRegressor
from sklearn.cluster import KMeans
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.ensemble import (AdaBoostClassifier, ExtraTreesClassifier, GradientBoostingClassifier, GradientBoostingRegressor,
                              HistGradientBoostingClassifier, HistGradientBoostingRegressor, IsolationForest, RandomForestClassifier,
                              RandomForestRegressor)
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge, SGDClassifier
from sklearn.naive_bayes import BernoulliNB, GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (Binarizer, KBinsDiscretizer, MaxAbsScaler, MinMaxScaler, Normalizer, OneHotEncoder, OrdinalEncoder,
                                   PolynomialFeatures, RobustScaler, StandardScaler)
from sklearn.svm import SVC, SVR, LinearSVC, NuSVC, OneClassSVM
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

warnings.filterwarnings("ignore")
make_attribute = onnx.helper.make_attribute


def integers(key, value, *rest, **more):
    """skl2onnx hands over lists of booleans for histogram forests, which this protobuf refuses."""
    plain = [int(v) if isinstance(v, (bool, np.bool_)) else v for v in value] if isinstance(value, list) else value
    return make_attribute(key, plain, *rest, **more)


onnx.helper.make_attribute = integers
OPSETS = {"": 18, "ai.onnx.ml": 3}
rng = np.random.default_rng(3)
X = rng.standard_normal((120, 5)).astype(np.float32)
TWO = (X[:, 0] + 0.3 * X[:, 1] ** 2 > 0.2).astype(np.int64)
THREE = TWO + (X[:, 2] > 0.5)
WORDS = np.array(["low", "middle", "high"])[THREE]
REAL = X @ np.array([1, -2, 0.5, 0, 3]) + np.sin(3 * X[:, 1])
TESTED = rng.standard_normal((50, 5)).astype(np.float32)


def write(out, name, model, x, own, names=None, **tolerance):
    """own: the library's outputs, None for those it does not have."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, ["CPUExecutionProvider"])
    inputs = x if isinstance(x, dict) else {session.get_inputs()[0].name: x}
    want = session.run(None, inputs)
    for position, mine in enumerate(own):
        if mine is not None and want[position].dtype.kind in "fd":
            np.testing.assert_allclose(np.ravel(want[position]), np.ravel(mine), rtol=1e-3, atol=2e-4, err_msg=name)
        elif mine is not None:
            assert np.array_equal(np.ravel(want[position]).astype(str), np.ravel(mine).astype(str)), name
    folder = out / name / "test_data_set_0"
    folder.mkdir(parents=True)
    (folder.parent / "model.onnx").write_bytes(model.SerializeToString())
    (folder.parent / "case.json").write_text(json.dumps(tolerance))
    for k, port in enumerate(session.get_inputs()):
        (folder / f"input_{k}.pb").write_bytes(numpy_helper.from_array(inputs[port.name], port.name).SerializeToString())
    for k, array in enumerate(want):
        (folder / f"output_{k}.pb").write_bytes(numpy_helper.from_array(np.asarray(array)).SerializeToString())


def classifiers(out):
    for model in (
        RandomForestClassifier(12, max_depth=5, random_state=1), ExtraTreesClassifier(9, max_depth=4, random_state=1),
        GradientBoostingClassifier(n_estimators=8, random_state=1), HistGradientBoostingClassifier(max_iter=8),
        AdaBoostClassifier(n_estimators=5, random_state=1), DecisionTreeClassifier(max_depth=4, random_state=1),
        LGBMClassifier(n_estimators=6, verbose=-1), LogisticRegression(), LogisticRegression(C=0.1), SVC(kernel="linear", probability=True, random_state=1),
        SVC(kernel="rbf", probability=True, random_state=1), SVC(kernel="poly", probability=True, random_state=1),
        SVC(kernel="sigmoid", probability=True, random_state=1), NuSVC(probability=True, random_state=1, nu=0.2), GaussianNB(),
        BernoulliNB(), KNeighborsClassifier(4), MLPClassifier((6,), max_iter=60, random_state=1), SGDClassifier(loss="log_loss", random_state=1),
        make_pipeline(StandardScaler(), PCA(3, random_state=1), LogisticRegression()),
        make_pipeline(Normalizer(), Binarizer(threshold=0.1), MultinomialNB()),
        make_pipeline(KBinsDiscretizer(4, encode="onehot-dense"), LogisticRegression())):
        kind = model.steps[0][0] + "Pipeline" if hasattr(model, "steps") else type(model).__name__
        for label, y in (("two", TWO), ("three", THREE), ("words", WORDS)):
            model.fit(X, y)
            converted = to_onnx(model, X[:1], options={id(model): {"zipmap": False}}, target_opset=OPSETS)
            name = f"{kind}_{getattr(model, 'kernel', getattr(model, 'C', ''))}_{label}"
            # The pairwise coupling of libsvm stops early, in float here and in double there.
            loose = {"rtol": 1e-2, "atol": 1e-3} if isinstance(model, (SVC, NuSVC)) else {"rtol": 1e-4}
            own = [None, None] if isinstance(model, (SVC, NuSVC)) else [model.predict(TESTED), model.predict_proba(TESTED)]
            write(out, name, converted, TESTED, own, **loose)
    for model in (SVC(kernel="rbf"), LinearSVC()):
        for label, y in (("two", TWO), ("three", THREE)):
            model.fit(X, y)
            converted = to_onnx(model, X[:1], options={id(model): {"raw_scores": True} if isinstance(model, LinearSVC) else {"zipmap": False, "raw_scores": True}}, target_opset=OPSETS)
            write(out, f"{type(model).__name__}_raw_{label}", converted, TESTED, [model.predict(TESTED)])


def regressors(out):
    for model in (
        RandomForestRegressor(10, max_depth=5, random_state=1), GradientBoostingRegressor(n_estimators=8, random_state=1),
        HistGradientBoostingRegressor(max_iter=8), DecisionTreeRegressor(max_depth=4, random_state=1), LGBMRegressor(n_estimators=6, verbose=-1),
        LinearRegression(), Ridge(), SVR(kernel="linear"), SVR(kernel="rbf"), SVR(kernel="poly"), SVR(kernel="sigmoid"),
        KNeighborsRegressor(3), MLPRegressor(hidden_layer_sizes=(6,), max_iter=60, random_state=1), make_pipeline(PolynomialFeatures(2), MinMaxScaler(), Ridge()),
        make_pipeline(RobustScaler(), MaxAbsScaler(), LinearRegression())):
        kind = model.steps[0][0] + "Pipeline" if hasattr(model, "steps") else type(model).__name__
        model.fit(X, REAL)
        write(out, f"{kind}_{getattr(model, 'kernel', '')}_real", to_onnx(model, X[:1], target_opset=OPSETS), TESTED, [model.predict(TESTED)])
    several = RandomForestRegressor(5, max_depth=4, random_state=1).fit(X, np.stack([REAL, X[:, 0]], 1))
    write(out, "RandomForestRegressor_several", to_onnx(several, X[:1], target_opset=OPSETS), TESTED, [several.predict(TESTED)])
    clusters = KMeans(3, n_init=2, random_state=1).fit(X)
    write(out, "KMeans", to_onnx(clusters, X[:1], target_opset=OPSETS), TESTED, [clusters.predict(TESTED), clusters.transform(TESTED)])
    for outliers in (IsolationForest(n_estimators=6, random_state=1), OneClassSVM()):
        outliers.fit(X)
        write(out, type(outliers).__name__, to_onnx(outliers, X[:1], target_opset=OPSETS), TESTED, [outliers.predict(TESTED)])


def tables(out):
    colours = np.array(["red", "green", "blue"])[rng.integers(0, 3, 120)]
    sizes = np.array(["s", "m", "l", "xl"])[rng.integers(0, 4, 120)]
    numbers = np.where(rng.random((120, 3)) < 0.1, np.nan, X[:, :3]).astype(np.float32)
    table = np.concatenate([numbers.astype(object), colours.reshape(-1, 1), sizes.reshape(-1, 1)], 1)
    model = make_pipeline(ColumnTransformer([
        ("numbers", make_pipeline(SimpleImputer(strategy="median"), StandardScaler()), [0, 1, 2]),
        ("colour", OneHotEncoder(handle_unknown="ignore"), [3]), ("size", OrdinalEncoder(), [4])]), LogisticRegression())
    model.fit(table, WORDS)
    types = [(f"n{k}", FloatTensorType([None, 1])) for k in range(3)] + [("colour", StringTensorType([None, 1])), ("size", StringTensorType([None, 1]))]
    converted = to_onnx(model, initial_types=types, options={id(model): {"zipmap": False}}, target_opset=OPSETS)
    inputs = {n: table[:, k:k + 1].astype(np.float32 if k < 3 else object) for k, (n, _) in enumerate(types)}
    write(out, "Columns", converted, inputs, [model.predict(table), model.predict_proba(table)], rtol=1e-4)
    texts = np.array(["a good day", "bad bad weather", "the good and the bad", "no words of it", "weather is good today"] * 4)
    for vectoriser in (TfidfVectorizer(lowercase=False), CountVectorizer(lowercase=False), TfidfVectorizer(lowercase=False, ngram_range=(1, 2))):
        model = make_pipeline(vectoriser, LogisticRegression()).fit(texts, np.arange(20) % 5 < 2)
        options = {id(model): {"zipmap": False}}
        converted = to_onnx(model, initial_types=[("text", StringTensorType([None]))], options=options, target_opset=OPSETS)
        name = f"{type(vectoriser).__name__}_{vectoriser.ngram_range[1]}"
        write(out, name, converted, texts.astype(object), [None, model.predict_proba(texts)])


if __name__ == "__main__":
    for kind, shapes, choices in (
        (LGBMClassifier, calculate_linear_classifier_output_shapes, {"zipmap": [True, False, "columns"], "nocl": [True, False]}),
        (LGBMRegressor, calculate_linear_regressor_output_shapes, {"split": None})):
        update_registered_converter(kind, kind.__name__, shapes, convert_lightgbm, options=choices)
    folder = pathlib.Path(sys.argv[1])
    classifiers(folder)
    regressors(folder)
    tables(folder)
    print(sum(1 for _ in folder.iterdir()))
