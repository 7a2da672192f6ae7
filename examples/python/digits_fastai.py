# SPDX-License-Identifier: MIT
"""fastai: the report of fastxtend's profiler. pip install fastai"""
import torch
from digits_data import rows
import fastai.callback.progress  # for no_bar()
from fastai.data.core import DataLoaders
from fastai.learner import Learner
from fastai.metrics import accuracy
from stepwatch.fastai import show_training_loop


def data(train):
    return [(torch.tensor(pixels), torch.tensor(digit)) for pixels, digit in rows(train)]


loaders = DataLoaders.from_dsets(data(True), data(False), bs=32, device="cpu", num_workers=0)
net = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 10))
learn = Learner(loaders, net, loss_func=torch.nn.CrossEntropyLoss(), metrics=accuracy)
learn.profile("simple", logger_callback=[{"csv": {"path": "digits_fastai.csv"}}])
show_training_loop(learn)
with learn.no_bar():
    learn.fit(3, 1e-2)
