#include "engine/session/shortage.h"

#include <new>

namespace lacuna {

Error shortage(const char* sentence) noexcept {
    Error error{ErrorCode::NoMemory, "out of memory", {__FILE__, __LINE__}};
    try {
        error.what = sentence;
    } catch (const std::bad_alloc&) {  // the two words remain
    }
    return error;
}

std::optional<Event> shortageAnswer(const Command& command, SafePoint at, bool modelStays) {
    if (const auto* load = std::get_if<LoadModel>(&command))
        return ModelFailed{
            .path = load->path.string(), .error = shortage(), .previousStillLoaded = modelStays};
    if (const auto* inspect = std::get_if<InspectModel>(&command)) {
        ModelInspected answer;
        answer.page.path = inspect->path.string();
        answer.error = shortage();
        return answer;
    }
    if (const auto* question = std::get_if<Submit>(&command)) {
        TurnFinished failed;
        failed.conversation = question->conversation;
        failed.at = at;
        failed.reason = FinishReason::Error;
        failed.error = shortage();
        return failed;
    }
    if (const auto* preview = std::get_if<RequestPreview>(&command)) {
        CompactionPreviewed answer;
        answer.conversation = preview->conversation;
        answer.kv = preview->kv;
        answer.error = shortage();
        return answer;
    }
    if (std::holds_alternative<CompareSettings>(command)) {
        SettingsCompared answer;
        answer.error = shortage();
        return answer;
    }
    if (std::holds_alternative<SweepSettings>(command)) {
        SettingsSwept answer;
        answer.error = shortage();
        return answer;
    }
    if (std::holds_alternative<CalibrateRotations>(command)) {
        RotationsCalibrated answer;
        answer.ended = true;
        answer.error = shortage();
        return answer;
    }
    if (const auto* span = std::get_if<BringBack>(&command))
        return SpanRestored{.at = at,
                            .conversation = span->conversation,
                            .first = span->first,
                            .count = span->count,
                            .ended = true,
                            .error = shortage()};
    if (const auto* pin = std::get_if<PinText>(&command))
        return TextPinned{
            .at = at, .conversation = pin->conversation, .asked = true, .error = shortage()};
    if (const auto* reading = std::get_if<EstimateReading>(&command))
        return ReadingEstimated{.conversation = reading->conversation,
                                .request = reading->request,
                                .error = shortage()};
    if (const auto* save = std::get_if<SavePromptCache>(&command))
        return PromptCacheMoved{
            .conversation = save->conversation, .path = save->path.string(), .error = shortage()};
    if (const auto* read = std::get_if<LoadPromptCache>(&command))
        return PromptCacheMoved{.conversation = read->conversation,
                                .path = read->path.string(),
                                .loaded = true,
                                .error = shortage()};
    return std::nullopt;
}

}  // namespace lacuna
