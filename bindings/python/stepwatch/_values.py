# SPDX-License-Identifier: MIT
"""Values to log: what Python, numpy, torch and pandas call numbers, texts, tables, histograms, images and files."""
from __future__ import annotations

import array
import math
import numbers
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from . import _core
from ._options import bits, encoded, listed, optional

U8, I32, I64, F32, F64, F16, BF16, BOOL, TEXT = range(1, 10)
_HWC, _CHW, _ENCODED = 1, 2, 3
_FIGURES = {"histogram": 1, "norm": 2, "mean": 4, "std": 8, "min": 16, "max": 32, "zeros": 64, "nonfinite": 128, "all": 255}
_DTYPES = {"uint8": U8, "int32": I32, "int64": I64, "float32": F32, "float64": F64, "float16": F16, "bfloat16": BF16}


class Histogram:
    """The distribution of an array (numpy, torch, a list), or bins: ``Histogram(counts=…, edges=…)`` as numpy.histogram().

    figures: what to compute besides: names of norm, mean, std, min, max, zeros, nonfinite, or "all".
    """

    def __init__(self, array: Any = None, *, counts: Any = None, edges: Any = None,
                 figures: Sequence[str] = ("histogram",)) -> None:
        if (array is None) != (counts is not None and edges is not None):
            raise TypeError("a histogram has either an array, or counts and edges")
        self.array, self.counts, self.edges = array, counts, edges
        self.what = bits("figures", figures, _FIGURES)


class Image:
    """An image: an array HxWxC or HxW of uint8, or of floats from ``low`` to ``high``; a PIL image; or bytes of a PNG, JPEG or GIF.

    layout: "hwc" or "chw", as torch has it. C is 1, 3 or 4.
    """

    def __init__(self, data: Any, caption: str | None = None, *, layout: str = "hwc", low: float = 0, high: float = 1) -> None:
        if layout not in ("hwc", "chw"):
            raise ValueError(f'layout: {layout!r} is not "hwc" or "chw"')
        self.data, self.caption, self.layout, self.low, self.high = data, caption, layout, low, high


class Table:
    """A table: {column: values}, a list of rows with ``columns``, a list of dictionaries, or a DataFrame of pandas or polars."""

    def __init__(self, data: Any, columns: Sequence[str] | None = None) -> None:
        data = _listed(data)
        if isinstance(data, Mapping) or hasattr(data, "columns"):
            given = [(str(key), list(_listed(data[key]))) for key in getattr(data, "columns", data)]
        elif isinstance(data, (list, tuple)) and data and isinstance(data[0], Mapping):
            given = [(str(name), [row.get(name) for row in data]) for name in dict.fromkeys(key for row in data for key in row)]
        else:
            rows = list(data) if isinstance(data, Iterable) else [data]
            if not all(hasattr(row, "__len__") for row in rows):
                raise TypeError("a table is {column: values}, a list of rows or dictionaries, or a pandas.DataFrame")
            columns = [] if columns is None else list(columns)  # those of numpy and pandas are neither true nor false
            columns = columns or [str(i + 1) for i in range(len(rows[0]) if rows else 0)]
            if any(len(row) != len(columns) for row in rows):
                raise ValueError(f"a row of the table does not have {len(columns)} cells")
            given = [(str(name), [row[i] for row in rows]) for i, name in enumerate(columns)]
        self.columns: dict[str, list[Any]] = dict(given)
        if len(self.columns) < len(given):
            raise ValueError("two columns of the table have the same name")
        if len({len(values) for values in self.columns.values()}) > 1:
            raise ValueError("the columns of the table differ in length")


class File:
    """A file. With ``type``, such as "model", it is an artifact; without, a file of the run."""

    def __init__(self, path: str | os.PathLike[str], name: str | None = None, *, type: str | None = None,
                 description: str | None = None, aliases: Sequence[str] = ()) -> None:
        self.path, self.name, self.type, self.description, self.aliases = path, name, type, description, aliases


def _is_tensor(value: Any) -> bool:
    return hasattr(value, "detach") and hasattr(value, "data_ptr")


def _listed(value: Any) -> Any:
    """A tensor as lists of numbers, which takes one copy from a device; anything else as it is."""
    return value.detach().tolist() if _is_tensor(value) else value


def _is_number(value: Any) -> bool:
    """Texts, dates and durations of numpy have a dtype, too; its durations even claim to be integers."""
    if getattr(getattr(value, "dtype", None), "kind", "f") in "MmOSTU":
        return False
    return isinstance(value, numbers.Number) or (hasattr(value, "dtype") and getattr(value, "ndim", 1) == 0)


def _is_missing(cell: Any) -> bool:
    return cell is None or type(cell).__name__ in ("NAType", "NaTType") or (isinstance(cell, numbers.Real) and cell != cell)


def _refuse(value: Any) -> None:
    """Conversions would drop an imaginary part or a unit, and read texts; what torch raises differs between its versions."""
    kind = getattr(getattr(value, "dtype", None), "kind", "f")
    if isinstance(value, complex) or "complex" in str(getattr(value, "dtype", "")):
        raise TypeError("complex numbers cannot be logged: log abs(x), x.real or x.imag")
    if kind == "m":
        raise TypeError("a duration of numpy has no unit of its own: log x / numpy.timedelta64(1, 's')")
    if kind in "MSTU" or isinstance(value, (str, bytes, bytearray)):
        raise TypeError("texts and dates are not numbers")
    if getattr(value, "is_nested", False):
        raise TypeError("a nested tensor has no shape: log its parts, as of x.unbind()")
    if getattr(value, "is_meta", False):
        raise TypeError("a tensor of the device meta has no data")


def _number(value: Any) -> float:
    """As float(), but a number that is too large is infinite, and a missing one is NaN. numpy is about to refuse float() of an array
    of one element, and torch warns of that of a tensor with a gradient."""
    _refuse(value)
    value = value.detach() if getattr(value, "requires_grad", False) else value
    if hasattr(value, "compressed") and not value.compressed().size:  # masked
        return math.nan
    value = value.item() if getattr(value, "ndim", 0) and hasattr(value, "item") else value
    try:
        return math.nan if _is_missing(value) else float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


class OnItsWay:
    """A number that is copied from a GPU to memory of the host. float() waits for it."""

    def __init__(self, value: Any, since: int) -> None:
        import torch
        self.since = since
        self._host = torch.empty(value.shape, dtype=value.dtype, device="cpu", pin_memory=True)
        self._host.copy_(value.detach(), non_blocking=True)
        self._arrived = torch.cuda.Event()
        self._arrived.record(torch.cuda.current_stream(value.device))

    def __float__(self) -> float:
        self._arrived.synchronize()
        return float(self._host)


def _keep(sw: Any, name: str, value: Any, step: int | None) -> None:
    """Keeps a number that is on a device, so that the loop does not wait for it. Those of earlier steps that are on their way
    from CUDA or ROCm are logged now: the device still has this step to compute. Of others, many are copied at once."""
    if sw._kept and hasattr(sw._kept[0][1], "since"):
        sw._log_kept(sw.step)
    plain = value.device.type == "cuda" and type(value).__name__ in ("Tensor", "Parameter") and str(value.layout) == "torch.strided"
    sw._kept.append((name, OnItsWay(value, sw.step) if plain else value.detach().clone(), sw.step if step is None else step))
    if len(sw._kept) >= 256:
        sw._log_kept()


def _array(value: Any) -> tuple[int, int, int, tuple[int, ...], Any]:
    """Returns type, address, count and shape of an array, and what keeps it alive."""
    _refuse(value)
    if _is_tensor(value):
        value = value.detach()
        value = value.dequantize() if value.is_quantized else value
        value = (value if str(value.layout) == "torch.strided" else value.to_dense()).cpu().contiguous()
        kind = _DTYPES.get(str(value.dtype).rpartition(".")[2])
        if kind is None:
            value, kind = value.double(), F64
        return kind, value.data_ptr(), value.numel(), tuple(value.shape), value
    if not hasattr(value, "__array__"):
        flat = array.array("d", map(_number, value))
        return F64, flat.buffer_info()[0], len(flat), (len(flat),), flat
    import numpy
    value = numpy.ascontiguousarray(value.compressed() if hasattr(value, "compressed") else value)  # without what is masked
    _refuse(value)  # what polars has made of its own
    if value.dtype.kind == "O":
        kind, address, count, _, kept = _array(value.ravel().tolist())
        return kind, address, count, value.shape, kept
    kind = _DTYPES.get(value.dtype.name)
    if kind is None or not value.dtype.isnative:
        with numpy.errstate(all="ignore"):  # a number that is too large is infinite
            value, kind = value.astype("float64"), F64
    return kind, value.__array_interface__["data"][0], value.size, value.shape, value


def _histogram(sw: Any, name: bytes, value: Histogram) -> None:
    if value.array is None:
        edges, counts = [float(edge) for edge in value.edges], [int(count) for count in value.counts]
        if any(count != given for count, given in zip(counts, value.counts)):
            raise ValueError("counts are whole numbers, but some are not: those of density=True say nothing of how many")
        if len(edges) != len(counts) + 1 or min(counts, default=0) < 0:
            raise ValueError(f"{len(counts)} counts need {len(counts) + 1} edges, and none is below 0")
        _core.log_bins(sw, name, list(zip(edges, edges[1:], counts)))
    elif value.what != 1 or sw.wants("histogram"):
        kind, address, count, _, _kept = _array(value.array)
        _core.log_vector(sw, name, kind, address, count, value.what)


def _picture(image: Image) -> tuple[tuple[Any, ...], Any]:
    """What log_images() takes, and what keeps the data alive."""
    data, low, high, caption = image.data, float(image.low), float(image.high), optional(image.caption)
    if isinstance(data, (bytes, bytearray)):
        kept = array.array("B", data)
        return (kept.buffer_info()[0], len(kept), _ENCODED, U8, 0, 0, 0, low, high, caption), kept
    if hasattr(data, "tobytes") and hasattr(data, "getbands"):  # of PIL
        data = data if data.mode in ("L", "RGB", "RGBA") else data.convert("RGB")
        kept = array.array("B", data.tobytes())
        return (kept.buffer_info()[0], 0, _HWC, U8, *data.size, len(data.getbands()), low, high, caption), kept
    kind, address, count, shape, kept = _array(data)
    dtype = getattr(data, "dtype", None)
    if getattr(dtype, "name", str(dtype)).rpartition(".")[2].startswith(("int", "uint")) and kind != U8:
        raise ValueError(f"an image has uint8 or floats, not {dtype}")
    if len(shape) == 2:
        shape = (*shape, 1) if image.layout == "hwc" else (1, *shape)
    if len(shape) != 3:
        raise ValueError(f"an image has 2 or 3 dimensions, not {len(shape)}")
    height, width, channels = shape if image.layout == "hwc" else (shape[1], shape[2], shape[0])
    return (address, 0, _HWC if image.layout == "hwc" else _CHW, kind, width, height, channels, low, high, caption), kept


def _images(sw: Any, name: bytes, images: Sequence[Any]) -> None:
    if sw.wants("images"):
        pictures = [_picture(image if isinstance(image, Image) else Image(image)) for image in images]
        _core.log_images(sw, name, [picture for picture, _ in pictures])


def _column(name: str, cells: list[Any]) -> tuple[bytes, int, Any]:
    """Name, type, and an array of the cells or a list of texts."""
    given = [cell for cell in cells if not _is_missing(cell)]
    whole = len(given) == len(cells)
    if whole and given and all(isinstance(cell, bool) or type(cell).__name__ in ("bool_", "bool") for cell in given):
        return encoded(name), BOOL, array.array("B", map(bool, cells))
    if whole and all(_is_number(cell) and isinstance(cell, numbers.Integral) and -2**63 <= int(cell) < 2**63 for cell in given):
        return encoded(name), I64, array.array("q", map(int, cells))
    if all(_is_number(cell) for cell in given):
        return encoded(name), F64, array.array("d", map(_number, cells))
    return encoded(name), TEXT, [None if _is_missing(cell) else encoded(cell) for cell in cells]


def _table(sw: Any, name: bytes, table: Table) -> None:
    if sw.wants("table") and table.columns:
        columns = [_column(key, cells) for key, cells in table.columns.items()]
        _core.log_table(sw, name, len(columns[0][2]), [
            (key, kind, cells if kind == TEXT else cells.buffer_info()[0]) for key, kind, cells in columns])


def _file(sw: Any, name: bytes, file: File) -> None:
    _core.log_file(sw, os.fsencode(file.path), name if file.name is None else encoded(file.name), optional(file.type),
                   optional(file.description), [encoded(alias) for alias in listed(file.aliases)])


def log(sw: Any, name: Any, value: Any = None, *, step: int | None = None, now: bool = False) -> None:
    """Logs what is not simply a number: see Profiler.log()."""
    if isinstance(name, Mapping):
        if value is not None:
            raise TypeError("log() takes a name and a value, or a dictionary")
        _log_all(sw, name, step, now)
        return
    if not isinstance(name, str):
        raise TypeError(f"the name of a value is a str, not {name!r}")
    try:
        _log_one(sw, name, value, step, now)
    except (NotImplementedError, OverflowError, TypeError, ValueError) as error:
        raise TypeError(f"log: {name}: {error}") from error


def _log_all(sw: Any, values: Mapping[str, Any], step: int | None, now: bool) -> None:
    plain = {name: value for name, value in values.items() if step is None and isinstance(name, str)
             and (isinstance(value, float) or isinstance(value, int) and -2**63 <= value < 2**63)}
    if plain:
        _core.log_many(sw, [(encoded(name), float(value)) for name, value in plain.items()])
    for name, value in values.items():
        if name not in plain:
            log(sw, name, value, step=step, now=now)


def _log_one(sw: Any, name: str, value: Any, step: int | None, now: bool) -> None:
    is_tensor, first = _is_tensor(value), value[0] if isinstance(value, (list, tuple)) and value else None
    if isinstance(value, str):
        _core.log_text(sw, encoded(name), encoded(value))
    elif is_tensor and value.numel() == 1 and value.device.type not in ("cpu", "meta") and not now:
        _keep(sw, name, value, step)
    elif _is_number(value) or (is_tensor and value.numel() == 1) or (hasattr(value, "item") and getattr(value, "size", 0) == 1):
        number = _number(value)
        _core.log_number(sw, name, number) if step is None else _core.log_at(sw, name, number, step)
    elif isinstance(value, Histogram):
        _histogram(sw, encoded(name), value)
    elif isinstance(first, Image) or isinstance(value, Image) or hasattr(value, "getbands"):
        _images(sw, encoded(name), [value] if first is None else value)
    elif isinstance(value, Table) or hasattr(value, "columns"):
        _table(sw, encoded(name), value if isinstance(value, Table) else Table(value))
    elif isinstance(value, (File, os.PathLike)):
        _file(sw, encoded(name), value if isinstance(value, File) else File(value))
    elif is_tensor or hasattr(value, "__array__"):
        _histogram(sw, encoded(name), Histogram(value))
    elif isinstance(first, (list, tuple, Mapping)):
        _table(sw, encoded(name), Table(value))
    elif isinstance(value, (list, tuple)) and all(_is_number(item) for item in value):
        _histogram(sw, encoded(name), Histogram(value))
    else:
        raise TypeError(f"{type(value).__name__} is not a number, text, table, image, histogram or file")
