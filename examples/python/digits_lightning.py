# SPDX-License-Identifier: MIT
"""Lightning: a profiler that is SimpleProfiler's table and a TensorBoard page. pip install lightning"""
import lightning.pytorch as pl
import torch
from digits_data import rows
from stepwatch.lightning import StepwatchLogger, StepwatchProfiler


class Digits(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 10))

    def training_step(self, batch, number):
        pixels, digits = batch
        loss = torch.nn.functional.cross_entropy(self.net(pixels), digits)
        self.log("train/loss", loss)
        return loss

    def validation_step(self, batch, number):
        pixels, digits = batch
        self.log("valid/accuracy", (self.net(pixels).argmax(1) == digits).float().mean())

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), 1e-3)


def loader(train):
    pixels, digits = zip(*rows(train))
    data = torch.utils.data.TensorDataset(torch.tensor(pixels), torch.tensor(digits))
    return torch.utils.data.DataLoader(data, batch_size=32, shuffle=train)


profiler = StepwatchProfiler(logger_callback=["tensorboard"])
trainer = pl.Trainer(max_epochs=3, profiler=profiler, logger=StepwatchLogger(profiler.sw), accelerator="cpu", log_every_n_steps=10,
                     enable_checkpointing=False, enable_progress_bar=False)
trainer.fit(Digits(), loader(True), loader(False))
print(profiler.sw.report())  # the loop; Lightning itself has logged the table of its actions
profiler.close()
