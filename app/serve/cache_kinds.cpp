#include "app/serve/cache_kinds.h"

#include <algorithm>
#include <string_view>

namespace lacuna::app {
namespace {

enum class Compacts { Yes, No };
enum class Window { Yes, No };

std::string kindOf(const KvOptions& options, Compacts compacts, Window window) {
    std::string kind;
    const auto add = [&](std::string_view word) {
        if (!kind.empty()) kind += '_';
        kind += word;
    };
    if (compacts == Compacts::Yes) add(keyOf(options.method));
    if (window == Window::Yes) add("window");
    const bool coded = !options.quant.plain() || (options.values && !options.values->quant.plain());
    if (options.rotated())
        add("rotated");
    else if (coded)
        add("quantized");
    return kind.empty() ? "plain" : kind;
}

}  // namespace

std::string cacheKind(const KvOptions& options) {
    return kindOf(options, options.method == CompactionMethod::None ? Compacts::No : Compacts::Yes,
                  options.window ? Window::Yes : Window::No);
}

std::map<std::string, int> layerKinds(const KvOptions& options, const ModelFacts& model) {
    std::map<std::string, int> kinds;
    for (int layer = 0; layer < model.layers; ++layer) {
        const auto index = static_cast<std::size_t>(layer);
        if (!model.extents.empty() && model.extents[index].heads == 0) continue;  // no cache
        const bool slides = options.layerCaches != LayerCaches::Uniform &&
                            index < model.windows.size() && model.windows[index] > 1;
        const bool whole = std::ranges::find(options.skipLayers, layer) != options.skipLayers.end();
        const bool compacts = options.method != CompactionMethod::None && !whole && !slides;
        ++kinds[kindOf(options, compacts ? Compacts::Yes : Compacts::No,
                       slides || options.window ? Window::Yes : Window::No)];
    }
    return kinds;
}

}  // namespace lacuna::app
