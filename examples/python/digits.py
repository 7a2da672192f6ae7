# SPDX-License-Identifier: MIT
"""A plain loop: learns handwritten digits without any other package, and measures itself.

    stepwatch run -- python examples/python/digits.py
"""
import math

import stepwatch
from digits_data import batches, rows

sw = stepwatch.open()  # $STEPWATCH_CONFIG, ./stepwatch.yaml, or the defaults
train, valid = rows(), rows(train=False)
weights = [[0.0] * 65 for _ in range(10)]


@sw.region("softmax")
def softmax(scores):
    powers = [math.exp(score - max(scores)) for score in scores]
    return [power / sum(powers) for power in powers]


def predict(pixels):
    return softmax([row[64] + sum(w * x for w, x in zip(row, pixels)) for row in weights])


with sw, sw.fit():
    sw.hparams({"lr": 0.1, "batch_size": 32})
    for epoch in range(3):
        with sw.epoch():
            with sw.train():
                for batch in sw.draws(batches(train)):
                    with sw.forward:
                        guesses = [predict(pixels) for pixels, _ in batch]
                    with sw.loss:
                        loss = -sum(math.log(guess[digit]) for guess, (_, digit) in zip(guesses, batch)) / len(batch)
                    with sw.backward:
                        errors = [[g - (k == digit) for k, g in enumerate(guess)] for guess, (_, digit) in zip(guesses, batch)]
                    with sw.opt_step:
                        for (pixels, _), error in zip(batch, errors):
                            for row, e in zip(weights, error):
                                for i, x in enumerate(pixels):
                                    row[i] -= 0.1 * e * x / len(batch)
                                row[64] -= 0.1 * e / len(batch)
                    sw.log("train/loss", loss)
            with sw.valid():
                right = 0
                for batch in sw.draws(batches(valid)):
                    with sw.predict:
                        right += sum(max(range(10), key=predict(pixels).__getitem__) == digit for pixels, digit in batch)
                sw.log("valid/accuracy", right / len(valid))
    sw.print(f"{right} of {len(valid)} digits were read correctly")
