#include "engine/recurrent/mixer_shape.h"

#include "engine/base/string_format.h"

namespace lacuna {

Status MixerShape::check() const {
    const auto refuse = [](const char* name, int value, const char* expected) {
        return fail(ErrorCode::InvalidArgument,
                    format("recurrent layer: {} is {}, expected {}", name, value, expected));
    };
    if (kernel < 1 || kernel > 64) return refuse("the convolution's width", kernel, "1 to 64");
    if (kind == MixerKind::ShortConvolution) {
        if (width < 1) return refuse("the number of channels", width, "1 or more");
        return {};
    }
    if (keyHeads < 1) return refuse("the number of key heads", keyHeads, "1 or more");
    if (valueHeads < 1 || valueHeads % keyHeads != 0)
        return refuse("the number of value heads", valueHeads, "a multiple of the key heads");
    if (kind == MixerKind::KimiDelta && valueHeads != keyHeads)
        return refuse("the number of value heads", valueHeads, "that of the key heads");
    if (keyDim < 1) return refuse("the size of a key head", keyDim, "1 or more");
    if (valueDim < 1) return refuse("the size of a value head", valueDim, "1 or more");
    return {};
}

}  // namespace lacuna
