// cut-layers: some layers of a model as a model of its own, to draft for the whole one.

#include "app/main/cli_support.h"
#include "app/main/commands.h"
#include "engine/base/string_format.h"
#include "engine/format/cut_layers.h"

namespace lacuna::cli {

int cutLayers(const CutLayersArguments& arguments) {
    const auto cut = lacuna::cutLayers(arguments.in, arguments.out, arguments.keep);
    if (!cut) return report(cut.error());
    return printPage(format("{}: {} of {} layers, {:.1f} MiB\n", arguments.out, cut->layers,
                            cut->layersBefore, static_cast<double>(cut->bytes) / 0x1p20));
}

}  // namespace lacuna::cli
