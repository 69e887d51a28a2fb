#include "app/serve/api_server.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "app/serve/api_error.h"
#include "app/serve/http_reader.h"
#include "app/serve/metrics_text.h"
#include "app/serve/model_pages.h"
#include "app/serve/text_requests.h"
#include "engine/base/string_format.h"
#include "engine/session/prefix_folder.h"
#include "engine/settings/config_check.h"
#include "engine/template/channel_stream.h"

namespace lacuna::app {
namespace {

HttpReply jsonReply(const OrderedJson& value) {
    return {.body = dumpJson(value)};
}

EngineOptions engineOptions(const ServeOptions& options) {
    return {.machine = options.machine,
            .config = options.config,
            .precision = options.precision,
            .profileFolder = options.profileFolder,
            .measuresHeads = !options.profileFolder.empty(),
            .measuresPrecision = true,
            .samplesQuality = true,
            .calibrationText = options.calibrationText,
            .prefixFolder = prefixFolderIn(options.profileFolder),
            .residentConversations = options.slots,
            .makers = makersWith(options.chatTemplate, options.model)};
}

/// Options for an engine that is shared with a window.
ServeOptions sharing(ServeOptions options, const EngineHost& engine, const CurrentState& standing) {
    options.shared = true;
    options.machine = engine.machine();
    options.config = standing.config;
    return options;
}

HttpReply loadingReply() {
    return errorReply({.status = 503,
                       .message = "the model is being loaded",
                       .code = "LOADING",
                       .retryAfterSeconds = 1});
}

/// The server of a window does not know whether the user is about to load a model.
HttpReply noLocalModelReply() {
    return errorReply({.status = 503,
                       .message = "no local model is loaded; load one in the window (models of a "
                                  "remote engine are not served here)",
                       .code = "NO_MODEL",
                       .retryAfterSeconds = 1});
}

HttpReply noModel(const std::string& served) {
    return errorReply({.status = 404,
                       .message = format("this server has no such model; it serves {}", served),
                       .param = "model",
                       .code = "model_not_found"});
}

HttpReply noResponse(const std::string& id) {
    return errorReply(
        {.status = 404,
         .message = format(
             "there is no response '{}': only the newest are kept, and only while the server runs",
             id.substr(0, 100)),
         .param = "response_id",
         .code = "response_not_found"});
}

/// Returns false for the endpoints that are answered while no model is loaded.
bool needsModel(Endpoint endpoint) {
    constexpr Endpoint kWithoutModel[] = {Endpoint::Metrics, Endpoint::StoredResponse,
                                          Endpoint::DeleteResponse, Endpoint::CancelRequest,
                                          Endpoint::NotBuilt};
    return std::ranges::find(kWithoutModel, endpoint) == std::end(kWithoutModel);
}

const char* idPrefix(AnswerShape shape) {
    switch (shape) {
        case AnswerShape::Chat:
            return "chatcmpl-";
        case AnswerShape::Responses:
            return "resp_";
        case AnswerShape::Completion:
        case AnswerShape::Native:
            return "cmpl-";
    }
    return "cmpl-";
}

}  // namespace

ApiServer::ApiServer(ServeOptions options)
    : ApiServer(options, std::make_unique<EngineHost>(engineOptions(options)), nullptr) {
    m_own->start();
    send(LoadModel{m_options.model, m_options.draft});
}

ApiServer::ApiServer(ServeOptions options, EngineHost& shared)
    : ApiServer(std::move(options), nullptr, &shared) {
    const CurrentState& standing = m_events.current();
    if (standing.model) take(ModelLoaded{*standing.model, 0});
    if (standing.prefixes) take(PrefixCacheChanged{*standing.prefixes});
}

ApiServer::ApiServer(ServeOptions options, std::unique_ptr<EngineHost> own, EngineHost* shared)
    : m_own(std::move(own)),
      m_engine(m_own ? *m_own : *shared),
      m_events(m_engine.events(), {.audience = m_own ? Audience::All : Audience::Server},
               EventDelivery::kAtOnce,
               [this](const std::vector<Event>& batch) {
                   for (const Event& event : batch) take(event);
               }),
      m_options(m_own ? std::move(options)
                      : sharing(std::move(options), m_engine, m_events.current())),
      m_created(unixSeconds()),
      m_settings(m_options, [this](Command command) { send(std::move(command)); }),
      m_scheduler(
          m_options.slots, [this](Command command) { send(std::move(command)); },
          ConversationId(m_options.shared ? EventHub::kServerConversations : 1)),
      m_slotFiles(m_options.slotFolder, m_scheduler),
      m_embeddings(m_options.embeddings, m_workers, m_metrics) {}

ApiServer::~ApiServer() {
    if (m_own) {
        m_own->stop();
        return;
    }
    for (const RequestScheduler::Slot& slot : m_scheduler.slots()) {
        if (slot.busy) m_engine.send(CancelTurn{slot.conversation});
        m_engine.send(ReleaseConversation{slot.conversation});
        if (!slot.cache) continue;
        m_engine.send(SetCacheSettings{
            .revision = m_settings.next(), .conversation = slot.conversation, .own = std::nullopt});
    }
}

void ApiServer::shutDown(const ApiError& reason) {
    for (const auto& [id, session] : std::exchange(m_sessions, {}))
        if (const auto running = session.lock()) running->fail(reason);
}

// ---------------------------------------------------------------- requests

std::optional<HttpReply> ApiServer::refusal(const HttpHead& head) {
    if (auto reason = checkHost(m_access, *head.find("host"))) return faultReply(*reason);
    if (auto reason = checkOrigin(m_access, head.find("origin"))) return faultReply(*reason);
    const RouteMatch match = matchRoute(head);
    const bool open = head.method == "OPTIONS" ||
                      (match.route != nullptr && (match.route->endpoint == Endpoint::Health ||
                                                  (match.route->endpoint == Endpoint::Metrics &&
                                                   m_options.metrics == MetricsAccess::Open)));
    if (!open)
        if (auto reason = checkKey(m_access, head.find("authorization"), head.find("x-api-key")))
            return faultReply(*reason);
    return refusalOf(match, head);
}

std::vector<HttpField> ApiServer::fieldsFor(const HttpHead& head) {
    const std::string* const origin = head.find("origin");
    const bool listed =
        origin != nullptr && std::ranges::find(m_access.origins, *origin) != m_access.origins.end();
    if (!listed) return {};
    return {{"Access-Control-Allow-Origin", *origin}, {"Vary", "Origin"}};
}

void ApiServer::handle(HttpRequest request, Exchange exchange) {
    ++m_requests;
    const RouteMatch match = matchRoute(request.head);
    if (request.head.method == "OPTIONS") {
        HttpReply reply{.status = 204, .contentType = ""};
        reply.fields.emplace_back("Allow", match.allowed);
        if (!fieldsFor(request.head).empty()) {
            // Browser clients send header fields of their own, which are allowed but ignored.
            const std::string* const asked = request.head.find("access-control-request-headers");
            reply.fields.emplace_back("Access-Control-Allow-Methods", match.allowed);
            reply.fields.emplace_back("Access-Control-Allow-Headers",
                                      asked != nullptr ? *asked : "Authorization, Content-Type");
        }
        return exchange->reply(std::move(reply));
    }
    Call call{std::move(request), std::move(exchange),
              percentDecoded(match.parameter).value_or("")};
    const Endpoint endpoint = match.route->endpoint;
    if (m_model == nullptr && needsModel(endpoint))
        return call.exchange->reply(m_options.shared ? noLocalModelReply() : loadingReply());
    answer(endpoint, call);
}

/// Without a default, so that the compiler warns of an endpoint that is not answered.
/// @pre a model is loaded, or the endpoint needs none
void ApiServer::answer(Endpoint endpoint, Call& call) {
    const auto reply = [&](const OrderedJson& json) { call.exchange->reply(jsonReply(json)); };
    const auto reasoning = m_options.reasoning;
    switch (endpoint) {
        case Endpoint::Health:
            return reply({{"status", "ok"}});
        case Endpoint::Models:
            return reply({{"object", "list"},
                          {"data", OrderedJson::array({modelJson(*m_model, m_created)})}});
        case Endpoint::OneModel:
            return oneModel(call);
        case Endpoint::Props:
            return reply(
                propsJson(*m_model, m_settings.inEffect(), m_options.slots, m_options.version));
        case Endpoint::Slots:
            return slots(call);
        case Endpoint::SlotAction:
            return m_slotFiles.act(
                {.slot = call.parameter,
                 .action = queryValue(call.request.head.query, "action").value_or(""),
                 .body = std::move(call.request.body)},
                call.exchange);
        case Endpoint::CompressionStatus:
            return reply(compressionJson(settingsShown(), m_metrics, m_scheduler));
        case Endpoint::CompressionConfig:
            return reply(settingsJson(settingsShown()));
        case Endpoint::ChangeCompression:
            return changeCompression(call, SettingsChanges::LeftOut::AsItIs);
        case Endpoint::ReplaceCompression:
            return changeCompression(call, SettingsChanges::LeftOut::AsStarted);
        case Endpoint::CacheStatus:
            return reply(cachesJson(settingsShown(), m_model->id(), m_metrics, m_scheduler));
        case Endpoint::ClearCaches:
            return clearCaches(call);
        case Endpoint::Tokenize:
            return answerOnWorker(call, tokenizeJson);
        case Endpoint::Detokenize:
            return answerOnWorker(
                call, [](JsonFields& fields, const ServedModel& model, const StopRequested&) {
                    return detokenizeJson(fields, model);
                });
        case Endpoint::ApplyTemplate:
            return answerOnWorker(call, [reasoning](JsonFields& fields, const ServedModel& model,
                                                    const StopRequested& stop) {
                return promptJson(fields, model, reasoning, stop);
            });
        case Endpoint::CountChat:
            return answerOnWorker(call, [reasoning](JsonFields& fields, const ServedModel& model,
                                                    const StopRequested& stop) {
                return chatTokensJson(fields, model, reasoning, stop);
            });
        case Endpoint::CountResponse:
            return answerOnWorker(
                call, [reasoning, kept = m_responses](JsonFields& fields, const ServedModel& model,
                                                      const StopRequested& stop) {
                    return responseTokensJson(fields, model, reasoning, *kept, stop);
                });
        case Endpoint::ChatCompletions:
            return generate(call, AnswerShape::Chat);
        case Endpoint::Completions:
            return generate(call, AnswerShape::Completion);
        case Endpoint::NativeCompletion:
            return generate(call, AnswerShape::Native);
        case Endpoint::Responses:
            return generate(call, AnswerShape::Responses);
        case Endpoint::Infill:
            return prepare(call, readInfill);
        case Endpoint::Embeddings:
            return embed(call, EmbeddingQueue::Form::OpenAi);
        case Endpoint::NativeEmbeddings:
            return embed(call, EmbeddingQueue::Form::Native);
        case Endpoint::Metrics:
            return metrics(call);
        case Endpoint::StoredResponse:
            return storedResponse(call);
        case Endpoint::DeleteResponse:
            return deleteResponse(call);
        case Endpoint::CancelRequest:
            return cancelRequest(call);
        case Endpoint::NotBuilt:
            return call.exchange->reply(errorReply({.status = 501,
                                                    .message = "this endpoint is not supported",
                                                    .code = "UNSUPPORTED"}));
    }
}

void ApiServer::oneModel(const Call& call) {
    const bool known =
        std::ranges::find(m_model->names(), call.parameter) != m_model->names().end();
    call.exchange->reply(known ? jsonReply(modelJson(*m_model, m_created))
                               : noModel(m_model->id()));
}

void ApiServer::slots(const Call& call) {
    if (queryValue(call.request.head.query, "fail_on_no_slot") &&
        m_scheduler.running() == m_options.slots)
        return call.exchange->reply(
            errorReply({.status = 503, .message = "no slot is free", .retryAfterSeconds = 1}));
    call.exchange->reply(jsonReply(slotsJson(m_scheduler, m_model->context())));
}

/// Works while the model is being loaded; a scrape then gets the counters so far.
void ApiServer::metrics(const Call& call) {
    if (m_options.metrics == MetricsAccess::Off)
        return call.exchange->reply(
            errorReply({.status = 501,
                        .message = "metrics are switched off; start the server with --metrics on",
                        .code = "UNSUPPORTED"}));
    const ServingNow now{.model = modelId(),
                         .version = m_options.version,
                         .context = m_model ? m_model->context() : 0,
                         .created = m_created,
                         .config = m_settings.inEffect(),
                         .facts = m_model ? m_model->facts() : ModelFacts{}};
    HttpReply reply{.contentType = "text/plain; version=0.0.4; charset=utf-8",
                    .body = metricsText(m_metrics.counts(), now, m_scheduler)};
    // llama.cpp's server reports the start of its counters in this field.
    reply.fields.emplace_back("Process-Start-Time-Unix", std::to_string(m_created));
    call.exchange->reply(std::move(reply));
}

/// The reply is sent when the engine has applied the change, between two steps.
void ApiServer::changeCompression(const Call& call, SettingsChanges::LeftOut leftOut) {
    if (m_settings.ask(call.request.body, leftOut, m_model->facts(), call.exchange))
        call.exchange->reply(jsonReply(compressionJson(settingsShown(), m_metrics, m_scheduler)));
}

/// Slots in use keep their caches. Stored prefixes are always cleared; those on disk are deleted in
/// the background and for all models.
void ApiServer::clearCaches(const Call& call) {
    const std::string& query = call.request.head.query;
    const auto refuse = [&](const ApiError& error) { call.exchange->reply(errorReply(error)); };
    const std::string tier = queryValue(query, "tier").value_or("ram");
    if (tier == "ssd") {
        const PrefixDiskStats& disk = m_metrics.counts().disk;
        if (disk.limitBytes <= 0)
            return refuse({.status = 501,
                           .message = "the prefix cache on disk is off; turn it on with lacuna "
                                      "serve --set prefix_disk=MIB",
                           .param = "tier"});
        send(ClearPrefixCache{.memory = false, .disk = true});
        call.exchange->reply(jsonReply({{"cleared", disk.files}, {"disk_bytes", disk.bytes}}));
        return;
    }
    if (tier != "ram") return refuse({.message = "tier has to be ram or ssd", .param = "tier"});
    const auto model = queryValue(query, "model");
    if (model && *model != m_model->id()) return call.exchange->reply(noModel(m_model->id()));
    std::int64_t cleared = 0, bytes = 0;
    OrderedJson busy = OrderedJson::array();
    for (int i = 0; i < m_options.slots; ++i) {
        if (!m_scheduler.free(i)) {
            busy.push_back(i);
            continue;
        }
        const RequestScheduler::Slot& slot = m_scheduler.slots()[static_cast<std::size_t>(i)];
        if (const KvStats* const kv = m_metrics.cacheOf(slot.conversation))
            bytes += kv->contentBytes();
        if (!slot.tokens.empty()) ++cleared;
        m_scheduler.erase(i);
    }
    send(ClearPrefixCache{});
    call.exchange->reply(
        jsonReply({{"cleared", cleared}, {"live_bytes", bytes}, {"in_use", std::move(busy)}}));
}

void ApiServer::storedResponse(const Call& call) {
    if (queryValue(call.request.head.query, "stream").value_or("false") != "false")
        return call.exchange->reply(errorReply(
            {.message = "stream is not supported here: a stored response is returned in one piece",
             .param = "stream",
             .code = "UNSUPPORTED"}));
    const auto response = m_responses->response(call.parameter);
    call.exchange->reply(response ? jsonReply(*response) : noResponse(call.parameter));
}

void ApiServer::deleteResponse(const Call& call) {
    call.exchange->reply(
        m_responses->remove(call.parameter)
            ? jsonReply({{"id", call.parameter}, {"object", "response"}, {"deleted", true}})
            : noResponse(call.parameter));
}

/// A request that has ended or is unknown gets the normal reply with "cancelled": false.
void ApiServer::cancelRequest(const Call& call) {
    const auto found = m_sessions.find(call.parameter);
    const auto session = found == m_sessions.end() ? nullptr : found->second.lock();
    if (session) m_scheduler.end(session->ticket());
    call.exchange->reply(jsonReply(
        {{"id", call.parameter}, {"object", "request"}, {"cancelled", session != nullptr}}));
}

void ApiServer::embed(Call& call, EmbeddingQueue::Form form) {
    const EngineConfig& config = m_settings.inEffect();
    m_embeddings.ask(form, std::move(call.request.body),
                     {.model = m_model,
                      .precision = config.precision == PrecisionChoice::Exact ? Precision::Exact
                                                                              : Precision::Fast,
                      .threads = computeThreads(config, m_options.machine)},
                     call.exchange);
}

void ApiServer::answerOnWorker(Call& call, Maker make) {
    const std::size_t bytes = call.request.body.size();
    m_workers.start(
        bytes,
        [make = std::move(make), model = m_model, exchange = call.exchange,
         body = std::move(call.request.body)](const StopRequested& stop) -> std::function<void()> {
            const auto made = [&]() -> ApiResult<OrderedJson> {
                const auto object = bodyObject(body);
                if (!object) return tl::unexpected<ApiError>(object.error());
                JsonFields fields(*object);
                checkModel(fields, *model);
                auto result = make(fields, *model, stop);
                if (fields.error()) return tl::unexpected<ApiError>(*fields.error());
                return result;
            }();
            HttpReply reply = made ? jsonReply(*made) : errorReply(made.error());
            return [exchange, reply = std::move(reply)] { exchange->reply(reply); };
        });
}

RequestDefaults ApiServer::defaults() const {
    return {.config = m_settings.inEffect(),
            .machine = m_options.machine,
            .slots = m_options.slots,
            .reasoning = m_options.reasoning,
            .verbose = m_options.verbose,
            .responses = m_responses};
}

void ApiServer::generate(Call& call, AnswerShape shape) {
    prepare(call, [shape](const std::string& body, const ServedModel& model,
                          const RequestDefaults& defaults, const StopRequested& stop) {
        return readGeneration(shape, body, model, defaults, stop);
    });
}

void ApiServer::prepare(Call& call, RequestReader read) {
    const std::size_t bytes = call.request.body.size();
    m_workers.start(
        bytes,
        [this, read = std::move(read), model = m_model, defaults = defaults(),
         exchange = call.exchange,
         body = std::move(call.request.body)](const StopRequested& stop) -> std::function<void()> {
            auto asked =
                std::make_shared<ApiResult<RequestedAnswers>>(read(body, *model, defaults, stop));
            return [this, asked, exchange, model] {
                if (!exchange->open()) return;
                // The request was tokenized for a model that is no longer loaded.
                if (model != m_model)
                    exchange->reply(
                        errorReply({.status = 503,
                                    .message = "the model was replaced; send the request again",
                                    .code = "LOADING",
                                    .retryAfterSeconds = 1}));
                else if (*asked)
                    begin(std::move(**asked), exchange);
                else
                    exchange->reply(errorReply(asked->error()));
            };
        });
}

void ApiServer::begin(RequestedAnswers asked, const Exchange& exchange) {
    ReplyStamp stamp{
        .id = randomId(idPrefix(asked.shape)),
        .created = unixSeconds(),
        .model = m_model->id(),
        .fingerprint = "b" + m_options.version + "-" + m_model->facts().fingerprint.substr(0, 8)};
    const std::string id = stamp.id;
    OrderedJson items = std::move(asked.items);
    const auto session = std::make_shared<AnswerSession>(
        std::move(asked), std::move(stamp), m_model, exchange, m_scheduler, m_options.keepAlive);
    if (!items.is_null())
        session->responded = [kept = m_responses, id, items = std::move(items)](
                                 const OrderedJson& response) { kept->keep(id, items, response); };
    std::erase_if(m_sessions, [](const auto& one) { return one.second.expired(); });
    m_sessions[id] = session;
    session->begin();
}

// ---------------------------------------------------------------- events

void ApiServer::send(Command command) {
    if (const auto* released = std::get_if<ReleaseConversation>(&command)) {
        m_metrics.remove(released->conversation);
        m_settings.remove(released->conversation);
    }
    if (auto* const own = std::get_if<SetCacheSettings>(&command))
        own->revision = m_settings.next(own->conversation);
    m_engine.send(std::move(command));
}

void ApiServer::take(const Event& event) {
    m_metrics.take(event, m_scheduler.slots());
    m_log.take(event, m_scheduler.slots());
    m_scheduler.take(event);
    if (const auto* one = std::get_if<ModelLoaded>(&event)) {
        loaded(*one);
    } else if (std::holds_alternative<ModelUnloaded>(event)) {
        unloaded();
    } else if (const auto* turn = std::get_if<TurnStarted>(&event)) {
        m_settings.began(*turn);
    } else if (const auto* change = std::get_if<ConfigApplied>(&event)) {
        applied(*change);
    } else if (const auto* newer = std::get_if<ConfigSuperseded>(&event)) {
        m_settings.superseded(*newer);
    } else if (const auto* cache = std::get_if<PromptCacheMoved>(&event)) {
        m_slotFiles.moved(*cache);
    } else if (const auto* broken = std::get_if<ModelFailed>(&event)) {
        if (failed) failed(broken->error);
    } else if (const auto* refused = std::get_if<ConfigRejected>(&event)) {
        onConfigRejected(*refused);
    } else if (const auto* notice = std::get_if<Notice>(&event)) {
        if (noted) noted(notice->sentence);
    } else if (const auto* fatal = std::get_if<Fatal>(&event)) {
        if (failed) failed(fatal->error);
    }
}

void ApiServer::applied(const ConfigApplied& applied) {
    const std::vector<Exchange> waiting = m_settings.applied(applied);
    if (waiting.empty() || m_model == nullptr) return;
    const HttpReply reply = jsonReply(compressionJson(settingsShown(), m_metrics, m_scheduler));
    for (const Exchange& exchange : waiting) exchange->reply(reply);
}

void ApiServer::onConfigRejected(const ConfigRejected& rejected) {
    if (m_model == nullptr && failed && !m_options.shared)
        failed(violationsError(rejected.violations));
    const SettingsChanges::Refused refused = m_settings.onConfigRejected(rejected);
    if (refused.own) return m_scheduler.fail(*refused.own, violationsError(rejected.violations));
    for (const Exchange& exchange : refused.waiting)
        exchange->reply(errorReply(apiErrorOf(rejected.violations)));
}

/// Running answers keep the weights in memory.
void ApiServer::unloaded() {
    m_model.reset();
    m_embeddings.dropModel();
    m_scheduler.dropCaches();
}

void ApiServer::loaded(const ModelLoaded& loaded) {
    unloaded();
    const auto read = m_engine.model();
    if (!read) return;
    std::vector<std::string> names = namesIn(m_options.alias);
    if (names.empty()) names = {std::filesystem::path(loaded.facts.path).stem().string()};
    const int context = effectiveContext(m_settings.inEffect(), loaded.facts, m_options.machine);
    const auto model = std::make_shared<const ServedModel>(read, loaded.facts, names, context);
    const auto knows = [&](std::string_view word) {
        return model->templateText().find(word) != std::string::npos;
    };
    const bool thinks =
        knows("enable_thinking") || knows("<think>") || writesChannels(model->templateText());
    if (m_options.reasoning.value_or(false) && !thinks) {
        if (failed)
            failed(Error{
                ErrorCode::Unsupported,
                "this model's chat template does not support reasoning; leave out --reasoning",
                {}});
        return;
    }
    m_model = model;
    if (ready) ready(model->id());
}

}  // namespace lacuna::app
