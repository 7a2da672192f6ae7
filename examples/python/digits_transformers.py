# SPDX-License-Identifier: MIT
"""transformers: a Trainer with a callback. pip install transformers accelerate"""
import tempfile

import torch
from digits_data import rows
from stepwatch.transformers import StepwatchCallback
from transformers import Trainer, TrainingArguments


class Digits(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 10))

    def forward(self, pixels, labels):
        scores = self.net(pixels)
        return {"loss": torch.nn.functional.cross_entropy(scores, labels), "logits": scores}


def data(train):
    return [{"pixels": torch.tensor(pixels), "labels": torch.tensor(digit)} for pixels, digit in rows(train)]


with tempfile.TemporaryDirectory() as folder:
    arguments = TrainingArguments(folder, num_train_epochs=3, per_device_train_batch_size=32, learning_rate=1e-2, logging_steps=10,
                                  report_to=[], disable_tqdm=True)
    Trainer(Digits(), arguments, train_dataset=data(True), callbacks=[StepwatchCallback(mode="simple")]).train()
