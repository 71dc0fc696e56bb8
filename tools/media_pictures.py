"""What the scripts that write tests/media share: pictures drawn by formula, and what Pillow reads from a file."""
import io
import zlib

import numpy as np
from PIL import Image, ImageOps


def draw(height, width, seed):
    """Ramps, noise and hard black-and-white speckle in tiles: [height, width, 3] bytes."""
    y, x, c = np.meshgrid(np.arange(height, dtype=np.uint32), np.arange(width, dtype=np.uint32),
                          np.arange(3, dtype=np.uint32), indexing="ij")
    h = (x * np.uint32(0x9E3779B1)) ^ (y * np.uint32(0x85EBCA77)) ^ (c * np.uint32(0xC2B2AE3D))
    h ^= np.uint32(seed * 0x27D4EB2F & 0xFFFFFFFF)
    h ^= h >> np.uint32(15)
    h *= np.uint32(0x2C1B3C6D)
    h ^= h >> np.uint32(12)
    ramp = (x * (5 + c) + y * (3 + 2 * c)) & 511
    ramp = np.where(ramp < 256, ramp, 511 - ramp)
    tile = (x // 7 + y // 5 + seed) & 3
    return np.where(tile == 0, (h & 1) * 255, np.where(tile == 1, h & 255, ramp)).astype(np.uint8)


def crc(array):
    return zlib.crc32(np.ascontiguousarray(array).tobytes())


def by_pillow(body):
    """RGB with transparency laid on white, and with it dropped; turned upright."""
    image = Image.open(io.BytesIO(body))
    image.load()
    image = ImageOps.exif_transpose(image)
    if image.mode.startswith("I;16"):  # Pillow clips these to white; the high byte is the picture
        high = (np.asarray(image).astype(np.uint32) >> 8).astype(np.uint8)
        return (np.repeat(high[:, :, None], 3, axis=2),) * 2
    dropped = np.asarray(image.convert("RGB"))
    if image.mode not in ("RGBA", "LA", "PA") and "transparency" not in image.info:
        return dropped, dropped
    clear = image.convert("RGBA")
    white = Image.new("RGB", image.size, (255, 255, 255))
    white.paste(clear, mask=clear.split()[3])
    return np.asarray(white), dropped


def expectation(name, body, on_white=None, dropped=None):
    if on_white is None:
        on_white, dropped = by_pillow(body)
    return {"file": name, "stored": list(Image.open(io.BytesIO(body)).size),
            "size": [dropped.shape[1], dropped.shape[0]],
            "white": crc(on_white), "drop": crc(dropped)}
