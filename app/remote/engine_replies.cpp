#include "app/remote/engine_replies.h"

#include <QCoreApplication>
#include <algorithm>

#include "app/state/number_format.h"
#include "engine/base/json.h"

namespace lacuna::app {

namespace {

struct ReplyTexts {
    Q_DECLARE_TR_FUNCTIONS(EngineReplies)
};

Result<Json> jsonOf(const QByteArray& body) {
    return parseJson(std::string_view(body.constData(), static_cast<std::size_t>(body.size())));
}

const Json* member(const Json& object, const char* key) {
    if (!object.is_object()) return nullptr;
    const auto found = object.find(key);
    return found == object.end() ? nullptr : &*found;
}

std::optional<qint64> countOf(const Json& object, const char* key) {
    const Json* value = member(object, key);
    if (value == nullptr || !value->is_number_integer()) return std::nullopt;
    const auto count = value->get<std::int64_t>();
    return count >= 0 ? std::optional<qint64>(count) : std::nullopt;
}

std::optional<qint64> firstCountOf(const Json& object, std::initializer_list<const char*> keys) {
    for (const char* key : keys)
        if (const auto count = countOf(object, key)) return count;
    return std::nullopt;
}

QString textOf(const Json& object, const char* key) {
    const Json* value = member(object, key);
    return value != nullptr && value->is_string()
               ? QString::fromStdString(value->get<std::string>())
               : QString();
}

constexpr qsizetype kMaxModelId = 512;  ///< characters
constexpr std::size_t kMaxListed = 10'000;

/// Ids are displayed and sent back unchanged, so only safe ones are accepted.
bool isUsableId(const QString& id) {
    return id.size() <= kMaxModelId && std::ranges::none_of(id, [](QChar c) {
               return c.category() == QChar::Other_Control || c.category() == QChar::Other_Format;
           });
}

/// Reads the context length: max_model_len of vLLM and SGLang, meta.n_ctx or n_ctx_train of
/// llama-server, other names elsewhere.
std::optional<qint64> contextOf(const Json& model) {
    const auto said = firstCountOf(
        model, {"max_model_len", "context_length", "context_window", "max_context_length"});
    if (said) return said;
    const Json* meta = member(model, "meta");
    return meta == nullptr ? std::nullopt : firstCountOf(*meta, {"n_ctx", "n_ctx_train"});
}

}  // namespace

tl::expected<QVector<ListedModel>, QString> modelsFrom(const QByteArray& body) {
    const auto json = jsonOf(body);
    if (!json) return tl::make_unexpected(ReplyTexts::tr("the list of models is not JSON."));
    const Json* data = member(*json, "data");
    if (data == nullptr || !data->is_array())
        return tl::make_unexpected(ReplyTexts::tr("it contains no list of models."));
    if (data->size() > kMaxListed)
        return tl::make_unexpected(
            ReplyTexts::tr("it lists more than %1 models.").arg(countText(qint64{kMaxListed})));
    QVector<ListedModel> models;
    for (const Json& one : *data) {
        const QString id = textOf(one, "id");
        if (!isUsableId(id))
            return tl::make_unexpected(
                ReplyTexts::tr("the name of a model is too long or has control characters."));
        if (!id.isEmpty()) models.push_back({id, contextOf(one)});
    }
    return models;
}

tl::expected<QVector<ListedSlot>, QString> slotsFrom(const QByteArray& body) {
    const auto json = jsonOf(body);
    if (!json || !json->is_array())
        return tl::make_unexpected(ReplyTexts::tr("the slots are not a list."));
    if (json->size() > kMaxListed)
        return tl::make_unexpected(
            ReplyTexts::tr("it lists more than %1 slots.").arg(countText(qint64{kMaxListed})));
    QVector<ListedSlot> listed;
    for (const Json& one : *json) {
        const auto id = countOf(one, "id");
        if (!id) continue;
        const Json* busy = member(one, "is_processing");
        ListedSlot slot{
            static_cast<int>(*id), busy != nullptr && busy->is_boolean() && busy->get<bool>(),
            countOf(one, "n_ctx"), countOf(one, "n_prompt_tokens"), countOf(one, "n_decoded")};
        // llama-server reports it in next_token, which is an object or a list with one object.
        const Json* next = member(one, "next_token");
        if (next != nullptr && next->is_array() && !next->empty()) next = &next->front();
        if (!slot.written && next != nullptr) slot.written = countOf(*next, "n_decoded");
        listed.push_back(slot);
    }
    return listed;
}

QStringList propertiesFrom(const QByteArray& body) {
    const auto json = jsonOf(body);
    if (!json) return {};
    QStringList lines;
    if (const QString build = textOf(*json, "build_info"); !build.isEmpty())
        lines << ReplyTexts::tr("Build %1").arg(engineWords(build));
    if (const QString path = textOf(*json, "model_path"); !path.isEmpty())
        lines << ReplyTexts::tr("Model file %1").arg(engineWords(path));
    if (const auto count = countOf(*json, "total_slots"))
        lines << ReplyTexts::tr("%1 slots").arg(countText(*count));
    if (const Json* settings = member(*json, "default_generation_settings"))
        if (const auto context = countOf(*settings, "n_ctx"))
            lines << ReplyTexts::tr("Context of %1 tokens").arg(countText(*context));
    return lines;
}

QVector<EngineControl> controlsOf(EngineFamily family) {
    const auto post = [](const char* path) {
        return RemoteRequest{RemoteMethod::Post, QString::fromLatin1(path), QByteArray("{}")};
    };
    const QString emptyPrefixes = ReplyTexts::tr("Clear the prefix cache");
    const QString emptyMeaning =
        ReplyTexts::tr("Stored prompts are discarded; the next ones are read in full.");
    switch (family) {
        case EngineFamily::Vllm: {
            const QString missing = ReplyTexts::tr(
                "vLLM offers this only when started with VLLM_SERVER_DEV_MODE=1 (and, for sleep, "
                "--enable-sleep-mode).");
            return {{QStringLiteral("vllm.reset"), emptyPrefixes, emptyMeaning,
                     post("/reset_prefix_cache"), false, missing},
                    {QStringLiteral("vllm.sleep"), ReplyTexts::tr("Put to sleep"),
                     ReplyTexts::tr("Weights move to main memory and the cache is discarded; "
                                    "nothing is answered until the engine wakes up."),
                     post("/sleep?level=1"), false, missing},
                    {QStringLiteral("vllm.wake"), ReplyTexts::tr("Wake up"),
                     ReplyTexts::tr("Weights are loaded again, and answering resumes."),
                     post("/wake_up"), false, missing}};
        }
        case EngineFamily::Sglang: {
            const QString missing = ReplyTexts::tr(
                "SGLang releases memory only when started with --enable-memory-saver.");
            return {{QStringLiteral("sglang.flush"),
                     emptyPrefixes,
                     emptyMeaning,
                     post("/flush_cache"),
                     false,
                     {}},
                    {QStringLiteral("sglang.release"), ReplyTexts::tr("Release memory"),
                     ReplyTexts::tr("Weights and cache leave the accelerator; nothing is answered "
                                    "until memory is reclaimed."),
                     post("/release_memory_occupation"), false, missing},
                    {QStringLiteral("sglang.resume"), ReplyTexts::tr("Reclaim memory"),
                     ReplyTexts::tr(
                         "Weights and cache return to the accelerator, and answering resumes."),
                     post("/resume_memory_occupation"), false, missing}};
        }
        case EngineFamily::LlamaServer:
            return {{QStringLiteral("llama.erase"), ReplyTexts::tr("Clear all slots"), emptyMeaning,
                     post("/slots/{}?action=erase"), true,
                     ReplyTexts::tr(
                         "llama-server offers this only when started with --slot-save-path.")}};
        case EngineFamily::Lacuna:
            return {{QStringLiteral("lacuna.clear"),
                     ReplyTexts::tr("Clear the caches"),
                     ReplyTexts::tr("Caches that are not in use are cleared."),
                     RemoteRequest{RemoteMethod::Delete, QStringLiteral("/admin/api/cache")},
                     false,
                     {}}};
        case EngineFamily::LmCache:
        case EngineFamily::Unknown:
            return {};
    }
    return {};
}

ControlOutcome outcomeOf(const EngineControl& control, const RemoteReply& reply) {
    if (!reply) {
        const RemoteProblem& problem = reply.error();
        const bool without = problem.fault == RemoteFault::NoEndpoint && !control.missing.isEmpty();
        return {false, without ? control.missing : problem.sentence};
    }
    // vLLM also replies 200 on failure, with {"success": false}.
    if (const auto json = jsonOf(*reply)) {
        const Json* success = member(*json, "success");
        if (success != nullptr && success->is_boolean() && !success->get<bool>())
            return {false, ReplyTexts::tr("%1: the engine reports a failure.").arg(control.label)};
        if (const auto cleared = countOf(*json, "cleared"))
            return {true,
                    ReplyTexts::tr("%1: done, %2 caches.").arg(control.label, countText(*cleared))};
    }
    return {true, ReplyTexts::tr("%1: done.").arg(control.label)};
}

FigureWords wordsOf(Figure figure) {
    using U = FigureUnit;
    switch (figure) {
        case Figure::Running:
            return {ReplyTexts::tr("Answers in progress"), U::Count};
        case Figure::Waiting:
            return {ReplyTexts::tr("Waiting requests"), U::Count};
        case Figure::CacheShare:
            return {ReplyTexts::tr("Cache in use"), U::Share};
        case Figure::CacheTokens:
            return {ReplyTexts::tr("Tokens in the cache"), U::Tokens};
        case Figure::CacheCapacity:
            return {ReplyTexts::tr("Cache capacity, tokens"), U::Tokens};
        case Figure::LogicalBytes:
            return {ReplyTexts::tr("Cache, uncompressed equivalent"), U::Bytes};
        case Figure::LiveBytes:
            return {ReplyTexts::tr("Cache, live"), U::Bytes};
        case Figure::AllocatedBytes:
            return {ReplyTexts::tr("Cache, allocated"), U::Bytes};
        case Figure::ResidentBytes:
            return {ReplyTexts::tr("Memory of the process"), U::Bytes};
        case Figure::QualityKl:
            return {ReplyTexts::tr("KL to the full cache"), U::Nats};
        case Figure::AnswerTokens:
            return {ReplyTexts::tr("Answer tokens"), U::Tokens};
        case Figure::PromptTokens:
            return {ReplyTexts::tr("Prompt tokens"), U::Tokens};
        case Figure::AnswerRate:
            return {ReplyTexts::tr("Decode speed, reported"), U::TokensPerSecond};
        case Figure::PromptRate:
            return {ReplyTexts::tr("Prefill speed, reported"), U::TokensPerSecond};
        case Figure::PrefixQueried:
            return {ReplyTexts::tr("Prefix cache: tokens looked up"), U::Tokens};
        case Figure::PrefixHit:
            return {ReplyTexts::tr("Prefix cache: tokens found"), U::Tokens};
        case Figure::PrefixHitShare:
            return {ReplyTexts::tr("Prefix cache: hit rate, reported"), U::Share};
        case Figure::Answered:
            return {ReplyTexts::tr("Requests answered"), U::Count};
        case Figure::Preempted:
            return {ReplyTexts::tr("Preempted requests"), U::Count};
        case Figure::Drafted:
            return {ReplyTexts::tr("Drafted tokens"), U::Tokens};
        case Figure::Accepted:
            return {ReplyTexts::tr("Drafted tokens accepted"), U::Tokens};
        case Figure::AcceptedShare:
            return {ReplyTexts::tr("Draft acceptance rate, reported"), U::Share};
        case Figure::Compactions:
            return {ReplyTexts::tr("Compactions"), U::Count};
        case Figure::CompactionStall:
            return {ReplyTexts::tr("Waiting for compactions"), U::Seconds};
        case Figure::FirstToken:
            return {ReplyTexts::tr("Time to the first token"), U::Seconds};
        case Figure::BetweenTokens:
            return {ReplyTexts::tr("Time between tokens"), U::Seconds};
        case Figure::WholeRequest:
            return {ReplyTexts::tr("Request time"), U::Seconds};
        case Figure::Queued:
            return {ReplyTexts::tr("Time in the queue"), U::Seconds};
        case Figure::Prefill:
            return {ReplyTexts::tr("Prefill time"), U::Seconds};
        case Figure::Decode:
            return {ReplyTexts::tr("Decode time"), U::Seconds};
        case Figure::PromptSize:
            return {ReplyTexts::tr("Tokens per prompt"), U::Tokens};
        case Figure::AnswerSize:
            return {ReplyTexts::tr("Tokens per answer"), U::Tokens};
        case Figure::OffloadBytes:
            return {ReplyTexts::tr("LMCache: bytes in memory"), U::Bytes};
        case Figure::OffloadDiskBytes:
            return {ReplyTexts::tr("LMCache: bytes on disk"), U::Bytes};
        case Figure::OffloadRemoteBytes:
            return {ReplyTexts::tr("LMCache: bytes in remote storage"), U::Bytes};
        case Figure::OffloadStored:
            return {ReplyTexts::tr("LMCache: tokens stored"), U::Tokens};
        case Figure::OffloadFetched:
            return {ReplyTexts::tr("LMCache: tokens retrieved"), U::Tokens};
        case Figure::OffloadHitShare:
            return {ReplyTexts::tr("LMCache: hit rate"), U::Share};
        case Figure::OffloadFetchTime:
            return {ReplyTexts::tr("LMCache: retrieval time"), U::Seconds};
        case Figure::OffloadEvictions:
            return {ReplyTexts::tr("LMCache: evictions"), U::Count};
    }
    return {};
}

}  // namespace lacuna::app
