// inspect: what a model file is, and rows of its tensors.

#include "app/main/cli_support.h"
#include "app/main/commands.h"
#include "app/main/output_check.h"
#include "engine/base/string_format.h"
#include "engine/format/tensor_rows.h"
#include "engine/session/model_page.h"
#include "engine/session/read_facts.h"
#include "engine/settings/engine_config.h"

namespace lacuna::cli {
namespace {

int writeRows(const InspectArguments& arguments) {
    if (arguments.out.empty())
        return report(fail(ErrorCode::InvalidArgument,
                           "--tensor needs --out FILE.npy, where its rows are written")
                          .value());
    if (const Status checked =
            checkOutputs({.outputs = {arguments.out}, .models = {arguments.file}, .inputs = {}});
        !checked)
        return report(checked.error());
    const auto rows = readTensorRows(arguments.file, arguments.tensor, arguments.rows);
    if (!rows) return report(rows.error());
    if (const Status written = writeNpy(arguments.out, rows->values, rows->rows, rows->columns);
        !written)
        return report(written.error());
    return printPage(
        format("{}: {} rows of {} float32 values\n", arguments.out, rows->rows, rows->columns));
}

}  // namespace

int inspect(const InspectArguments& arguments) {
    if (!arguments.tensor.empty()) return writeRows(arguments);
    const auto config = greedySettings(arguments.settings);
    if (!config) return report(config.error());
    const auto inspection = inspectModel(arguments.file, machineFacts(), *config);
    if (!inspection) return report(inspection.error());
    return arguments.json ? printJson(*inspection)
                          : printPage(pageText(modelPage(arguments.file, *inspection)));
}

}  // namespace lacuna::cli
