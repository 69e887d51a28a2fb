#include "app/main/command_engine.h"

#include <optional>
#include <utility>
#include <variant>

#include "app/main/cli_support.h"
#include "app/main/task_free_profile.h"
#include "engine/base/string_format.h"
#include "engine/session/jobs/automatic_precision.h"
#include "engine/session/prefix_folder.h"
#include "engine/session/read_facts.h"

namespace lacuna::cli {

EngineOptions commandEngineOptions(EngineConfig config) {
    return {.machine = machineFacts(),
            .config = std::move(config),
            .precision = {.folder = measurementsFolder()},
            .profileFolder = personalFolder(),
            .prefixFolder = prefixFolderIn(personalFolder())};
}

Result<ModelFacts> loadInto(EngineHost& engine, EventSubscription& events,
                            const std::filesystem::path& path, std::stop_token stop,
                            const std::filesystem::path& draft) {
    ProgressLine line;
    engine.send(LoadModel{path, draft});
    while (const auto event = events.next(stop)) {
        if (const auto* loading = std::get_if<ModelLoading>(&*event))
            line.show(format("loading {}: {:.0f} %", loading->path, 100 * loading->share));
        if (const auto* notice = std::get_if<Notice>(&*event)) note(notice->sentence);
        if (const auto* loaded = std::get_if<ModelLoaded>(&*event)) return loaded->facts;
        if (const auto* failed = std::get_if<ModelFailed>(&*event))
            return tl::unexpected<Error>(failed->error);
        if (const auto* fatal = std::get_if<Fatal>(&*event))
            return tl::unexpected<Error>(fatal->error);
        if (const auto* refused = std::get_if<ConfigRejected>(&*event))
            return tl::unexpected<Error>(violationsError(refused->violations));
    }
    return fail(ErrorCode::Cancelled, "stopped while the model was loading");
}

}  // namespace lacuna::cli
