#include "engine/format/draft_block.h"

namespace lacuna {

ModelSpec draftSpecOf(const ModelSpec& spec) {
    LayerSpec layer;
    for (int i = 0; i < spec.layers; ++i)
        if (spec.attends(i)) layer = spec.layer(i);
    layer.mixer = LayerMixer::Attention;
    layer.readsCacheOf.reset();
    ModelSpec block = spec;
    block.layers = 1;
    block.draftLayers = 0;
    block.draftBlock = false;
    block.layerSpecs = {layer};
    block.kvHeads = layer.kvHeads;
    block.headDim = layer.headDim;
    block.feedForward = layer.feedForward;
    block.recurrent = {};
    block.mixers.reset();
    return block;
}

}  // namespace lacuna
