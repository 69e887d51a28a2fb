#include "app/serve/api_server.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <utility>

#include "app/serve/api_error.h"
#include "app/serve/engine_link.h"
#include "app/serve/http_reader.h"
#include "app/serve/responses_request.h"
#include "engine/base/string_format.h"
#include "engine/settings/config_check.h"

namespace lacuna::app {
namespace {

constexpr std::size_t kMaxFileName = 128;
constexpr std::size_t kMaxSettingsBody = std::size_t{64} << 10;

std::int64_t unixSeconds() {
    return std::chrono::duration_cast<std::chrono::seconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
}

HttpReply jsonReply(const OrderedJson& value) {
    return {.body = dumpJson(value)};
}

/// "application/json", with parameters or without.
bool isJson(const std::string& contentType) {
    std::string type = contentType.substr(0, contentType.find(';'));
    while (type.ends_with(' ')) type.pop_back();
    std::ranges::transform(type, type.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return type == "application/json";
}

/// A name in the folder of saved caches and nothing else: no way up, no hidden file (PF-7).
bool isFileName(const std::string& name) {
    const auto plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '.' || c == '_' || c == '-';
    };
    return !name.empty() && name.size() <= kMaxFileName && name.front() != '.' &&
           std::ranges::all_of(name, plain);
}

/// The bytes as text, or as numbers where they are no whole characters.
OrderedJson pieceJson(const std::string& bytes) {
    const std::string text = dumpJson(OrderedJson(bytes));
    const auto back = parseOrderedJson(text);
    if (back && back->is_string() && back->get<std::string>() == bytes) return bytes;
    OrderedJson numbers = OrderedJson::array();
    for (const char c : bytes) numbers.push_back(static_cast<unsigned char>(c));
    return numbers;
}

std::unique_ptr<EngineDoor> ownEngine(const ServeOptions& options) {
    return std::make_unique<EngineLink>(EngineLink::Options{.model = {options.model, options.draft},
                                                            .chatTemplate = options.chatTemplate,
                                                            .machine = options.machine,
                                                            .config = options.config,
                                                            .precision = options.precision,
                                                            .profileFolder = options.profileFolder,
                                                            .conversations = options.slots});
}

ApiError noResponse(const std::string& id) {
    return {.status = 404,
            .message = format("there is no response '{}' here: the newest are kept while the "
                              "server runs",
                              id.substr(0, 100)),
            .param = "response_id",
            .code = "response_not_found"};
}

double milliseconds(std::chrono::steady_clock::time_point since) {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - since)
        .count();
}

}  // namespace

std::vector<std::string> namesIn(const std::string& list) {
    std::vector<std::string> names;
    for (std::size_t at = 0; at < list.size();) {
        const std::size_t end = std::min(list.find(',', at), list.size());
        std::string name = list.substr(at, end - at);
        at = end + 1;
        if (!name.empty() && std::ranges::find(names, name) == names.end())
            names.push_back(std::move(name));
    }
    return names;
}

const std::vector<ApiServer::Route>& ApiServer::routes() {
    using Body = Route::Body;
    static const std::vector<Route> all{
        {"GET", "/health", &ApiServer::health, Body::None, true},
        {"GET", "/v1/health", &ApiServer::health, Body::None, true},
        {"GET", "/v1/models", &ApiServer::models},
        {"GET", "/models", &ApiServer::models},
        {"GET", "/v1/models/{}", &ApiServer::oneModel},
        {"GET", "/props", &ApiServer::props},
        {"GET", "/slots", &ApiServer::slots},
        {"GET", "/metrics", &ApiServer::metrics},
        {"GET", "/admin/api/compression/status", &ApiServer::compressionStatus},
        {"GET", "/admin/api/compression/config", &ApiServer::compressionConfig},
        {"POST", "/admin/api/compression/config", &ApiServer::changeCompression, Body::Json},
        {"PUT", "/admin/api/compression/config", &ApiServer::replaceCompression, Body::Json},
        {"GET", "/admin/api/cache/status", &ApiServer::cacheStatus},
        {"DELETE", "/admin/api/cache", &ApiServer::clearCaches},
        {"POST", "/slots/{}", &ApiServer::slotAction, Body::Optional},
        {"POST", "/tokenize", &ApiServer::tokenize, Body::Json},
        {"POST", "/detokenize", &ApiServer::detokenize, Body::Json},
        {"POST", "/apply-template", &ApiServer::applyTemplate, Body::Json},
        {"POST", "/v1/chat/completions", &ApiServer::chatCompletions, Body::Json},
        {"POST", "/chat/completions", &ApiServer::chatCompletions, Body::Json},
        {"POST", "/v1/completions", &ApiServer::completions, Body::Json},
        {"POST", "/completion", &ApiServer::nativeCompletion, Body::Json},
        {"POST", "/completions", &ApiServer::nativeCompletion, Body::Json},
        {"POST", "/v1/requests/{}/cancel", &ApiServer::cancelRequest, Body::Optional},
        {"POST", "/v1/embeddings", &ApiServer::embeddings, Body::Json},
        {"POST", "/embeddings", &ApiServer::nativeEmbeddings, Body::Json},
        {"POST", "/embedding", &ApiServer::nativeEmbeddings, Body::Json},
        {"POST", "/infill", &ApiServer::infill, Body::Json},
        {"POST", "/rerank", &ApiServer::notBuilt, Body::Json},
        {"POST", "/v1/rerank", &ApiServer::notBuilt, Body::Json},
        {"GET", "/lora-adapters", &ApiServer::notBuilt},
        {"POST", "/lora-adapters", &ApiServer::notBuilt, Body::Json},
        {"POST", "/v1/responses", &ApiServer::responses, Body::Json},
        {"POST", "/responses", &ApiServer::responses, Body::Json},
        {"GET", "/v1/responses/{}", &ApiServer::keptResponse},
        {"GET", "/responses/{}", &ApiServer::keptResponse},
        {"DELETE", "/v1/responses/{}", &ApiServer::forgetResponse},
        {"DELETE", "/responses/{}", &ApiServer::forgetResponse},
        {"POST", "/v1/chat/completions/input_tokens", &ApiServer::countChat, Body::Json},
        {"POST", "/chat/completions/input_tokens", &ApiServer::countChat, Body::Json},
        {"POST", "/v1/responses/input_tokens", &ApiServer::countResponse, Body::Json},
        {"POST", "/responses/input_tokens", &ApiServer::countResponse, Body::Json},
    };
    return all;
}

ApiServer::Match ApiServer::match(const HttpHead& head) {
    Match result;
    for (const Route& route : routes()) {
        const std::string_view path = route.path;
        const std::size_t hole = path.find("{}");
        std::string parameter;
        if (hole == std::string_view::npos) {
            if (head.path != path) continue;
        } else {
            const std::string_view before = path.substr(0, hole);
            const std::string_view after = path.substr(hole + 2);
            if (head.path.size() <= before.size() + after.size() ||
                !head.path.starts_with(before) || !head.path.ends_with(after))
                continue;
            parameter =
                head.path.substr(before.size(), head.path.size() - before.size() - after.size());
            if (parameter.find('/') != std::string::npos) continue;
        }
        result.allowed += (result.allowed.empty() ? "" : ", ") + std::string(route.method);
        const bool same = head.method == route.method ||
                          (head.method == "HEAD" && std::string_view(route.method) == "GET");
        if (!same || result.route != nullptr) continue;
        result.route = &route;
        result.parameter = std::move(parameter);
    }
    return result;
}

ApiServer::ApiServer(ServeOptions options) : ApiServer(options, ownEngine(options)) {}

ApiServer::ApiServer(ServeOptions options, std::unique_ptr<EngineDoor> engine)
    : m_options(std::move(options)),
      m_created(unixSeconds()),
      m_config(m_options.config),
      m_requested(m_options.config),
      m_inForceSince(m_created),
      m_revision(m_options.shared ? m_options.shared->revisions : Revision(0)),
      m_desk(
          m_options.slots, [this](Command command) { send(std::move(command)); },
          m_options.shared ? m_options.shared->conversations : ConversationId(1)),
      m_engine(std::move(engine)) {
    m_engine->hear([this](const Event& event) { take(event); });
}

ApiServer::~ApiServer() {
    if (!m_options.shared) return;
    for (const AnswerDesk::Slot& slot : m_desk.slots()) {
        if (slot.busy) m_engine->send(CancelTurn{slot.conversation});
        m_engine->send(ForgetConversation{slot.conversation});
        if (!slot.cache) continue;
        m_engine->send(SetCacheSettings{
            .revision = ++m_revision, .conversation = slot.conversation, .own = std::nullopt});
    }
}

std::optional<HttpReply> ApiServer::refusal(const HttpHead& head) {
    if (auto why = judgeHost(m_access, *head.find("host"))) return faultReply(*why);
    if (auto why = judgeOrigin(m_access, head.find("origin"))) return faultReply(*why);
    const Match found = match(head);
    const bool open = head.method == "OPTIONS" || (found.route != nullptr && found.route->open);
    if (!open)
        if (auto why = judgeKey(m_access, head.find("authorization"), head.find("x-api-key")))
            return faultReply(*why);
    if (!percentDecoded(head.path))
        return errorReply({.status = 400, .message = "the path has a percent sign out of place"});
    if (found.allowed.empty())
        return errorReply({.status = 404, .message = "there is nothing at this path"});
    if (head.method == "OPTIONS") return std::nullopt;
    if (found.route == nullptr) {
        HttpReply reply = errorReply(
            {.status = 405, .message = format("this path knows {} alone", found.allowed)});
        reply.fields.emplace_back("Allow", found.allowed);
        return reply;
    }
    const std::string* const type = head.find("content-type");
    const bool wantsJson = found.route->body == Route::Body::Json ||
                           (found.route->body == Route::Body::Optional && head.hasBody);
    if (wantsJson && (type == nullptr || !isJson(*type)))
        return errorReply({.status = 415,
                           .message = "the body has to be sent as Content-Type: application/json"});
    return std::nullopt;
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
    Match found = match(request.head);
    if (request.head.method == "OPTIONS") {
        HttpReply reply{.status = 204, .contentType = ""};
        reply.fields.emplace_back("Allow", found.allowed);
        if (!fieldsFor(request.head).empty()) {
            reply.fields.emplace_back("Access-Control-Allow-Methods", found.allowed);
            reply.fields.emplace_back("Access-Control-Allow-Headers",
                                      "Authorization, Content-Type");
        }
        return exchange->reply(std::move(reply));
    }
    Call call{std::move(request), std::move(exchange),
              percentDecoded(found.parameter).value_or("")};
    (this->*found.route->handler)(call);
}

std::shared_ptr<const ServedModel> ApiServer::modelFor(const Exchange& exchange) {
    if (m_model == nullptr)
        exchange->reply(errorReply({.status = 503,
                                    .message = "the model is being loaded",
                                    .code = "LOADING",
                                    .retryAfterSeconds = 1}));
    return m_model;
}

void ApiServer::health(Call& call) {
    if (modelFor(call.exchange)) call.exchange->reply(jsonReply({{"status", "ok"}}));
}

OrderedJson ApiServer::modelJson() const {
    const ModelFacts& facts = m_model->facts();
    return {{"id", m_model->id()},
            {"object", "model"},
            {"created", m_created},
            {"owned_by", "lacuna"},
            {"aliases", m_model->names()},
            {"meta",
             {{"architecture", facts.architecture},
              {"file_type", facts.fileType},
              {"n_ctx", m_model->context()},
              {"n_ctx_train", facts.context},
              {"n_vocab", facts.vocabulary},
              {"n_params", facts.parameters},
              {"size", facts.weightBytes}}}};
}

void ApiServer::models(Call& call) {
    if (!modelFor(call.exchange)) return;
    call.exchange->reply(
        jsonReply({{"object", "list"}, {"data", OrderedJson::array({modelJson()})}}));
}

void ApiServer::oneModel(Call& call) {
    if (!modelFor(call.exchange)) return;
    if (std::ranges::find(m_model->names(), call.parameter) != m_model->names().end())
        return call.exchange->reply(jsonReply(modelJson()));
    call.exchange->reply(
        errorReply({.status = 404,
                    .message = format("there is no such model here; {} is served", m_model->id()),
                    .param = "model",
                    .code = "model_not_found"}));
}

RequestDefaults ApiServer::defaults() const {
    return {.config = m_config,
            .machine = m_options.machine,
            .slots = m_options.slots,
            .reasoning = m_options.reasoning,
            .verbose = m_options.verbose,
            .responses = m_responses};
}

void ApiServer::props(Call& call) {
    if (!modelFor(call.exchange)) return;
    AskedAnswers plain;
    plain.sampling = m_config.sampling;
    plain.maxTokens = m_config.maxTokens;
    OrderedJson params = generationSettingsJson(plain, 0);
    params["seed"] =
        m_config.sampling.seed ? OrderedJson(*m_config.sampling.seed) : OrderedJson(-1);
    const TokenizerData& data = m_model->tokenizer().data();
    const auto spelled = [&](const std::optional<TokenId>& id) {
        return id ? m_model->piece(*id) : std::string();
    };
    call.exchange->reply(
        jsonReply({{"default_generation_settings",
                    {{"n_ctx", m_model->context()}, {"params", std::move(params)}}},
                   {"total_slots", m_options.slots},
                   {"model_alias", m_model->id()},
                   {"model_path", m_model->facts().path},
                   {"chat_template", m_model->templateText()},
                   {"bos_token", spelled(data.bos)},
                   {"eos_token", spelled(data.eos)},
                   {"modalities", {{"vision", false}, {"audio", false}}},
                   {"build_info", "lacuna " + m_options.version}}));
}

void ApiServer::slots(Call& call) {
    if (!modelFor(call.exchange)) return;
    OrderedJson all = OrderedJson::array();
    for (std::size_t i = 0; i < m_desk.slots().size(); ++i) {
        const AnswerDesk::Slot& slot = m_desk.slots()[i];
        all.push_back({{"id", i},
                       {"n_ctx", m_model->context()},
                       {"is_processing", slot.busy},
                       {"n_prompt_tokens", slot.promptTokens},
                       {"n_prompt_tokens_processed", slot.readTokens},
                       {"n_prompt_tokens_cache", slot.reusedTokens},
                       {"n_decoded", slot.writtenTokens},
                       {"n_turns", slot.turns}});
    }
    if (queryValue(call.request.head.query, "fail_on_no_slot") &&
        m_desk.running() == m_options.slots)
        return call.exchange->reply(
            errorReply({.status = 503, .message = "no slot is free", .retryAfterSeconds = 1}));
    call.exchange->reply(jsonReply(all));
}

void ApiServer::slotAction(Call& call) {
    if (!modelFor(call.exchange)) return;
    const auto refuse = [&](ApiError error) { call.exchange->reply(errorReply(error)); };
    int slot = -1;
    const std::string& text = call.parameter;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), slot);
    if (error != std::errc() || end != text.data() + text.size() || slot < 0 ||
        slot >= m_options.slots)
        return refuse({.status = 404,
                       .message = format("slots are 0 to {}", m_options.slots - 1),
                       .param = "id_slot"});
    const std::string action = queryValue(call.request.head.query, "action").value_or("");
    if (action != "save" && action != "restore" && action != "erase")
        return refuse({.message = "action has to be save, restore or erase", .param = "action"});
    if (action != "erase" && m_options.slotFolder.empty())
        return refuse({.status = 501,
                       .message = "no folder for saved caches was given; --slot-dir names one"});
    if (!m_desk.free(slot))
        return refuse({.status = 409, .message = "somebody is answered in this slot"});
    if (action == "erase") {
        const auto tokens = m_desk.slots()[static_cast<std::size_t>(slot)].tokens.size();
        m_desk.erase(slot);
        return call.exchange->reply(jsonReply({{"id_slot", slot}, {"n_erased", tokens}}));
    }
    const auto body = bodyObject(call.request.body);
    if (!body) return refuse(body.error());
    saveSlot(slot, *body, call.exchange, action == "restore");
}

void ApiServer::saveSlot(int slot, const OrderedJson& body, const Exchange& exchange,
                         bool restore) {
    JsonFields fields(body);
    const auto name = fields.text("filename", kMaxFileName);
    if (!fields.error() && (!name || !isFileName(*name)))
        fields.refuse(
            "filename",
            "filename has to be a name of letters, digits, ., _ and - that does not begin "
            "with a dot");
    if (fields.error()) return exchange->reply(errorReply(*fields.error()));
    const std::filesystem::path path = m_options.slotFolder / *name;
    std::error_code ignored;
    if (restore && !std::filesystem::exists(path, ignored))
        return exchange->reply(
            errorReply({.status = 404, .message = "there is no such file", .param = "filename"}));
    m_moves[slot] = {exchange, *name, std::chrono::steady_clock::now()};
    const ConversationId id = m_desk.slots()[static_cast<std::size_t>(slot)].conversation;
    if (restore)
        m_desk.move(slot, LoadPromptCache{id, path});
    else
        m_desk.move(slot, SavePromptCache{id, path});
}

void ApiServer::moved(const PromptCacheMoved& moved) {
    const auto& slots = m_desk.slots();
    const auto found =
        std::ranges::find(slots, moved.conversation, &AnswerDesk::Slot::conversation);
    if (found == slots.end()) return;
    const int slot = static_cast<int>(found - slots.begin());
    const Move move = std::exchange(m_moves[slot], {});
    m_moves.erase(slot);
    m_desk.moved(slot);
    if (!move.exchange) return;
    if (moved.error) {
        ApiError wrong = apiErrorOf(*moved.error);
        if (moved.loaded && wrong.status == 500) wrong.status = 400;
        return move.exchange->reply(errorReply(wrong));
    }
    std::error_code ignored;
    const auto bytes = std::filesystem::file_size(moved.path, ignored);
    move.exchange->reply(jsonReply(
        {{"id_slot", slot},
         {"filename", move.name},
         {moved.loaded ? "n_restored" : "n_saved", moved.tokens},
         {moved.loaded ? "n_read" : "n_written", ignored ? 0 : bytes},
         {"timings", {{moved.loaded ? "restore_ms" : "save_ms", milliseconds(move.began)}}}}));
}

void ApiServer::answerByWorker(Call& call, Maker make) {
    const auto model = modelFor(call.exchange);
    if (!model) return;
    const std::size_t bytes = call.request.body.size();
    m_workers.start(
        bytes,
        [make = std::move(make), model, exchange = call.exchange,
         body = std::move(call.request.body)](const StopAsked& stop) -> std::function<void()> {
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

void ApiServer::tokenize(Call& call) {
    answerByWorker(
        call,
        [](JsonFields& fields, const ServedModel& model,
           const StopAsked& stop) -> ApiResult<OrderedJson> {
            const auto content = fields.text("content");
            const bool edges = fields.boolean("add_special").value_or(false);
            const bool parse = fields.boolean("parse_special").value_or(true);
            const bool pieces = fields.boolean("with_pieces").value_or(false);
            if (!content && !fields.error()) fields.refuse("content", "content is missing");
            if (fields.error()) return OrderedJson();
            const auto ids = model.tokenizer().encode(
                *content, {.special = parse ? SpecialText::Parse : SpecialText::Plain,
                           .edges = edges ? EdgeTokens::AsConfigured : EdgeTokens::None,
                           .stop = stop});
            if (!ids) return tl::unexpected<ApiError>(apiErrorOf(ids.error()));
            OrderedJson tokens = OrderedJson::array();
            for (const TokenId id : *ids) {
                if (pieces)
                    tokens.push_back({{"id", id}, {"piece", pieceJson(model.piece(id))}});
                else
                    tokens.push_back(id);
            }
            return OrderedJson{{"tokens", std::move(tokens)}};
        });
}

void ApiServer::detokenize(Call& call) {
    answerByWorker(call,
                   [](JsonFields& fields, const ServedModel& model,
                      const StopAsked&) -> ApiResult<OrderedJson> {
                       const OrderedJson* const tokens = fields.find("tokens");
                       std::vector<TokenId> ids;
                       const bool list = tokens != nullptr && tokens->is_array();
                       if (!list)
                           fields.refuse("tokens", "tokens has to be a list of token ids", "TYPE");
                       for (std::size_t i = 0; list && i < tokens->size() && !fields.error(); ++i) {
                           const OrderedJson& one = (*tokens)[i];
                           if (one.is_number_integer() && one.get<std::int64_t>() >= 0 &&
                               one.get<std::int64_t>() < model.facts().vocabulary)
                               ids.push_back(static_cast<TokenId>(one.get<std::int64_t>()));
                           else
                               fields.refuse(
                                   "tokens",
                                   format("tokens[{}] is no token id; the vocabulary has 0 to {}",
                                          i, model.facts().vocabulary - 1),
                                   "RANGE");
                       }
                       if (fields.error()) return OrderedJson();
                       const auto text = model.tokenizer().decode(ids, SpecialOutput::Show);
                       if (!text) return tl::unexpected<ApiError>(apiErrorOf(text.error()));
                       return OrderedJson{{"content", *text}};
                   });
}

void ApiServer::applyTemplate(Call& call) {
    answerByWorker(
        call,
        [reasoning = m_options.reasoning](JsonFields& fields, const ServedModel& model,
                                          const StopAsked& stop) -> ApiResult<OrderedJson> {
            const auto chat = renderChat(fields, model, {.reasoning = reasoning}, stop);
            if (!chat) return tl::unexpected<ApiError>(chat.error());
            return OrderedJson{{"prompt", promptText(chat->spans)}};
        });
}

/// How many tokens the prompt of a chat has, before anybody answers it; also one that the context
/// has no room for.
void ApiServer::countTokens(Call& call, bool ofResponse) {
    answerByWorker(call,
                   [ofResponse, reasoning = m_options.reasoning, kept = m_responses](
                       JsonFields& fields, const ServedModel& model,
                       const StopAsked& stop) -> ApiResult<OrderedJson> {
                       const auto count = [&](JsonFields& chat) -> ApiResult<OrderedJson> {
                           const auto rendered =
                               renderChat(chat, model, {.reasoning = reasoning}, stop);
                           if (!rendered) return tl::unexpected<ApiError>(rendered.error());
                           const auto tokens = model.chatPrompt(rendered->spans, stop);
                           if (!tokens) return tl::unexpected<ApiError>(apiErrorOf(tokens.error()));
                           return OrderedJson{{"object", "response.input_tokens"},
                                              {"input_tokens", tokens->size()}};
                       };
                       if (!ofResponse) return count(fields);
                       const auto items = itemsOfResponses(fields.object(), *kept);
                       if (!items) return tl::unexpected<ApiError>(items.error());
                       const auto chat = chatOfResponses(fields.object(), *items);
                       if (!chat) return tl::unexpected<ApiError>(chat.error());
                       JsonFields inner(*chat);
                       auto counted = count(inner);
                       if (!counted)
                           return tl::unexpected<ApiError>(errorOfResponses(counted.error()));
                       return counted;
                   });
}

void ApiServer::notBuilt(Call& call) {
    call.exchange->reply(errorReply(
        {.status = 501, .message = "this endpoint is not built here", .code = "UNSUPPORTED"}));
}

/// Texts wait for each other, and no more requests than answers may.
void ApiServer::embed(Call& call, bool native) {
    const auto model = modelFor(call.exchange);
    if (!model) return;
    if (!m_options.embeddings)
        return call.exchange->reply(errorReply(
            {.status = 501,
             .message = "embeddings are switched off; start the server with --embeddings",
             .code = "UNSUPPORTED"}));
    if (m_embedding >= AnswerDesk::kMaxWaiting)
        return call.exchange->reply(errorReply(
            {.status = 429,
             .message = format("{} requests are waiting already", AnswerDesk::kMaxWaiting),
             .code = "QUEUE_FULL",
             .retryAfterSeconds = 1}));
    if (!m_embedder) {
        const Precision precision =
            m_config.precision == PrecisionChoice::Exact ? Precision::Exact : Precision::Fast;
        auto made = TextEmbedder::create(model->loaded(), precision,
                                         computeThreads(m_config, m_options.machine));
        if (!made) return call.exchange->reply(errorReply(apiErrorOf(made.error())));
        m_embedder = std::move(*made);
    }
    ++m_embedding;
    const auto gone = std::make_shared<std::atomic<bool>>(false);
    call.exchange->gone = [gone] { *gone = true; };
    m_workers.startVectors(
        [this, native, model, gone, embedder = m_embedder, pooling = *m_options.embeddings,
         exchange = call.exchange,
         body = std::move(call.request.body)](const StopAsked& stop) -> std::function<void()> {
            const auto stopped = [&] { return gone->load() || stop(); };
            const auto made = [&]() -> ApiResult<OrderedJson> {
                const auto object = bodyObject(body);
                if (!object) return tl::unexpected<ApiError>(object.error());
                JsonFields fields(*object);
                checkModel(fields, *model);
                if (fields.error()) return tl::unexpected<ApiError>(*fields.error());
                const auto asked =
                    readEmbeddings(*object, native, *model, pooling, embedder->width(), stopped);
                if (!asked) return tl::unexpected<ApiError>(asked.error());
                std::vector<std::vector<std::vector<float>>> vectors;
                for (const auto& text : asked->texts) {
                    auto one = embedder->embed(text, pooling, stopped);
                    if (!one) return tl::unexpected<ApiError>(apiErrorOf(one.error()));
                    if (asked->normalised)
                        for (auto& vector : *one) normalise(vector);
                    vectors.push_back(std::move(*one));
                }
                return embeddingsJson(*asked, vectors, *model);
            }();
            HttpReply reply = made ? jsonReply(*made) : errorReply(made.error());
            return [this, exchange, reply = std::move(reply)] {
                --m_embedding;
                exchange->reply(reply);
            };
        });
}

void ApiServer::generate(Call& call, AnswerShape shape) {
    prepare(call, [shape](const std::string& body, const ServedModel& model,
                          const RequestDefaults& defaults, const StopAsked& stop) {
        return readGeneration(shape, body, model, defaults, stop);
    });
}

void ApiServer::prepare(Call& call, AskedReader read) {
    const auto model = modelFor(call.exchange);
    if (!model) return;
    const std::size_t bytes = call.request.body.size();
    m_workers.start(
        bytes,
        [this, read = std::move(read), model, defaults = defaults(), exchange = call.exchange,
         body = std::move(call.request.body)](const StopAsked& stop) -> std::function<void()> {
            auto asked =
                std::make_shared<ApiResult<AskedAnswers>>(read(body, *model, defaults, stop));
            return [this, asked, exchange, model] {
                if (!exchange->open()) return;
                // Encoded for a model that is not in use any more.
                if (model != m_model)
                    exchange->reply(errorReply({.status = 503,
                                                .message = "the model was replaced; ask again",
                                                .code = "LOADING",
                                                .retryAfterSeconds = 1}));
                else if (*asked)
                    answer(std::move(**asked), exchange);
                else
                    exchange->reply(errorReply(asked->error()));
            };
        });
}

void ApiServer::answer(AskedAnswers asked, const Exchange& exchange) {
    const auto model = modelFor(exchange);
    if (!model) return;
    const char* const prefix = asked.shape == AnswerShape::Chat        ? "chatcmpl-"
                               : asked.shape == AnswerShape::Responses ? "resp_"
                                                                       : "cmpl-";
    ReplyStamp stamp{
        .id = randomId(prefix),
        .created = unixSeconds(),
        .model = model->id(),
        .fingerprint = "b" + m_options.version + "-" + model->facts().fingerprint.substr(0, 8)};
    const std::string id = stamp.id;
    OrderedJson items = std::move(asked.items);
    const auto session = std::make_shared<AnswerSession>(std::move(asked), std::move(stamp), model,
                                                         exchange, m_desk, m_options.keepAlive);
    if (!items.is_null())
        session->responded = [kept = m_responses, id, items = std::move(items)](
                                 const OrderedJson& response) { kept->keep(id, items, response); };
    std::erase_if(m_sessions, [](const auto& one) { return one.second.expired(); });
    m_sessions[id] = session;
    session->begin();
}

void ApiServer::keptResponse(Call& call) {
    if (queryValue(call.request.head.query, "stream").value_or("false") != "false")
        return call.exchange->reply(
            errorReply({.message = "stream is not supported here: a response is given in one piece",
                        .param = "stream",
                        .code = "UNSUPPORTED"}));
    const auto response = m_responses->response(call.parameter);
    call.exchange->reply(response ? jsonReply(*response) : errorReply(noResponse(call.parameter)));
}

void ApiServer::forgetResponse(Call& call) {
    call.exchange->reply(
        m_responses->forget(call.parameter)
            ? jsonReply({{"id", call.parameter}, {"object", "response"}, {"deleted", true}})
            : errorReply(noResponse(call.parameter)));
}

/// A request that has ended, or never was, is as cancelled as it can be.
void ApiServer::cancelRequest(Call& call) {
    const auto found = m_sessions.find(call.parameter);
    const auto session = found == m_sessions.end() ? nullptr : found->second.lock();
    if (session) m_desk.end(session->ticket());
    call.exchange->reply(jsonReply(
        {{"id", call.parameter}, {"object", "request"}, {"cancelled", session != nullptr}}));
}

/// Known also while the model is being loaded: a scrape then finds what there is.
void ApiServer::metrics(Call& call) {
    const ServingNow now{.model = m_model ? m_model->id() : std::string(),
                         .version = m_options.version,
                         .context = m_model ? m_model->context() : 0,
                         .created = m_created,
                         .config = m_config};
    HttpReply reply{.contentType = "text/plain; version=0.0.4; charset=utf-8",
                    .body = m_metrics.text(now, m_desk)};
    // As llama.cpp's server says since when its counters count.
    reply.fields.emplace_back("Process-Start-Time-Unix", std::to_string(m_created));
    call.exchange->reply(std::move(reply));
}

SettingsShown ApiServer::settingsShown() const {
    return {.requested = m_requested,
            .effective = m_config,
            .turns = m_turnConfigs,
            .model = m_model->facts(),
            .since = m_inForceSince};
}

void ApiServer::compressionStatus(Call& call) {
    if (!modelFor(call.exchange)) return;
    call.exchange->reply(jsonReply(compressionJson(settingsShown(), m_metrics, m_desk)));
}

void ApiServer::compressionConfig(Call& call) {
    if (!modelFor(call.exchange)) return;
    call.exchange->reply(jsonReply(settingsJson(settingsShown())));
}

/// Answered when the engine has taken it, between two steps.
void ApiServer::setCompression(Call& call, const EngineConfig& base) {
    const auto model = modelFor(call.exchange);
    if (!model) return;
    const auto refuse = [&](const ApiError& error) { call.exchange->reply(errorReply(error)); };
    if (m_options.shared)
        return refuse({.status = 409,
                       .message =
                           "the settings of this engine are changed in its window; a request "
                           "can have cache settings of its own, as its member cache",
                       .code = "SETTINGS_SHARED"});
    if (call.request.body.size() > kMaxSettingsBody)
        return refuse(
            {.status = 413, .message = format("settings take {} bytes at most", kMaxSettingsBody)});
    const auto body = bodyObject(call.request.body);
    if (!body) return refuse(body.error());
    const auto wanted = changedCacheSettings(*body, base, model->facts(), m_options.machine);
    if (!wanted) return refuse(wanted.error());
    if (*wanted == m_requested && m_changes.empty()) return compressionStatus(call);
    m_requested = *wanted;
    ++m_revision;
    m_changes[m_revision].push_back(call.exchange);
    m_engine->send(SetConfig{m_revision, *wanted});
}

std::vector<ApiServer::Exchange> ApiServer::takeChange(Revision revision) {
    const auto found = m_changes.find(revision);
    if (found == m_changes.end()) return {};
    std::vector<Exchange> exchanges = std::move(found->second);
    m_changes.erase(found);
    return exchanges;
}

void ApiServer::applied(const ConfigApplied& applied) {
    m_ownChanges.erase(applied.revision);
    if (applied.conversation) return;
    m_config = applied.config;
    m_inForceSince = unixSeconds();
    const std::vector<Exchange> waiting = takeChange(applied.revision);
    if (m_changes.empty()) m_requested = m_config;
    if (waiting.empty() || m_model == nullptr) return;
    const HttpReply reply = jsonReply(compressionJson(settingsShown(), m_metrics, m_desk));
    for (const Exchange& exchange : waiting) exchange->reply(reply);
}

void ApiServer::rejected(const ConfigRejected& rejected) {
    if (m_model == nullptr && failed && !m_options.shared)
        failed(violationsError(rejected.violations));
    if (const auto own = m_ownChanges.find(rejected.revision); own != m_ownChanges.end()) {
        // They were judged before, but under settings of all that have changed since.
        const ConversationId conversation = own->second;
        m_ownChanges.erase(own);
        return m_desk.fail(conversation, violationsError(rejected.violations));
    }
    const std::vector<Exchange> waiting = takeChange(rejected.revision);
    if (m_changes.empty()) m_requested = m_config;
    for (const Exchange& exchange : waiting)
        exchange->reply(errorReply(apiErrorOf(rejected.violations)));
}

/// The newer change was made on top of this one and is answered for both.
void ApiServer::superseded(const ConfigSuperseded& superseded) {
    m_ownChanges.erase(superseded.revision);
    for (Exchange& exchange : takeChange(superseded.revision))
        m_changes[superseded.by].push_back(std::move(exchange));
}

void ApiServer::cacheStatus(Call& call) {
    if (!modelFor(call.exchange)) return;
    call.exchange->reply(jsonReply(cachesJson(settingsShown(), m_model->id(), m_metrics, m_desk)));
}

/// Caches that somebody is answered from stay; what is kept of texts goes in any case, on disk in
/// the background and of all models.
void ApiServer::clearCaches(Call& call) {
    if (!modelFor(call.exchange)) return;
    const std::string& query = call.request.head.query;
    const auto refuse = [&](ApiError error) { call.exchange->reply(errorReply(error)); };
    const std::string tier = queryValue(query, "tier").value_or("ram");
    if (tier == "ssd") {
        const PrefixDiskStats& disk = m_metrics.prefixDisk();
        if (disk.limitBytes <= 0)
            return refuse({.status = 501,
                           .message = "nothing is kept on disk; lacuna serve --set prefix_disk=MIB "
                                      "does that",
                           .param = "tier"});
        send(ClearPrefixCache{.memory = false, .disk = true});
        call.exchange->reply(jsonReply({{"cleared", disk.files}, {"disk_bytes", disk.bytes}}));
        return;
    }
    if (tier != "ram") return refuse({.message = "tier has to be ram or ssd", .param = "tier"});
    const auto model = queryValue(query, "model");
    if (model && *model != m_model->id())
        return refuse(
            {.status = 404,
             .message = format("there is no such model here; {} is served", m_model->id()),
             .param = "model",
             .code = "model_not_found"});
    std::int64_t cleared = 0, bytes = 0;
    OrderedJson busy = OrderedJson::array();
    for (int i = 0; i < m_options.slots; ++i) {
        if (!m_desk.free(i)) {
            busy.push_back(i);
            continue;
        }
        const AnswerDesk::Slot& slot = m_desk.slots()[static_cast<std::size_t>(i)];
        if (const KvStats* const kv = m_metrics.cacheOf(slot.conversation)) bytes += kv->liveBytes;
        if (!slot.tokens.empty()) ++cleared;
        m_desk.erase(i);
    }
    send(ClearPrefixCache{});
    call.exchange->reply(
        jsonReply({{"cleared", cleared}, {"live_bytes", bytes}, {"in_use", std::move(busy)}}));
}

void ApiServer::send(Command command) {
    if (const auto* forgotten = std::get_if<ForgetConversation>(&command)) {
        m_metrics.forget(forgotten->conversation);
        m_turnConfigs.erase(forgotten->conversation);
    }
    if (auto* const own = std::get_if<SetCacheSettings>(&command)) {
        own->revision = ++m_revision;
        m_ownChanges[m_revision] = own->conversation;
    }
    m_engine->send(std::move(command));
}

void ApiServer::take(const Event& event) {
    m_metrics.take(event, m_desk.slots());
    m_log.take(event, m_desk.slots());
    m_desk.take(event);
    if (const auto* one = std::get_if<ModelLoaded>(&event)) {
        loaded(*one);
    } else if (std::holds_alternative<ModelUnloaded>(event)) {
        unloaded();
    } else if (const auto* turn = std::get_if<TurnStarted>(&event)) {
        m_turnConfigs[turn->conversation] = turn->config;
    } else if (const auto* change = std::get_if<ConfigApplied>(&event)) {
        applied(*change);
    } else if (const auto* newer = std::get_if<ConfigSuperseded>(&event)) {
        superseded(*newer);
    } else if (const auto* cache = std::get_if<PromptCacheMoved>(&event)) {
        moved(*cache);
    } else if (const auto* broken = std::get_if<ModelFailed>(&event)) {
        if (failed) failed(broken->error);
    } else if (const auto* refused = std::get_if<ConfigRejected>(&event)) {
        rejected(*refused);
    } else if (const auto* fatal = std::get_if<Fatal>(&event)) {
        if (failed) failed(fatal->error);
    }
}

/// Weights stay in memory as long as somebody is answered from them.
void ApiServer::unloaded() {
    m_model.reset();
    m_embedder.reset();
    m_desk.forgetCaches();
}

void ApiServer::loaded(const ModelLoaded& loaded) {
    unloaded();
    const auto read = m_engine->model();
    if (!read) return;
    std::vector<std::string> names = namesIn(m_options.alias);
    if (names.empty()) names = {std::filesystem::path(loaded.facts.path).stem().string()};
    const int context = effectiveContext(m_config, loaded.facts, m_options.machine);
    const auto model = std::make_shared<const ServedModel>(read, loaded.facts, names, context);
    const auto knows = [&](std::string_view word) {
        return model->templateText().find(word) != std::string::npos;
    };
    const bool thinks = knows("enable_thinking") || knows("<think>");
    if (m_options.reasoning.value_or(false) && !thinks) {
        if (failed)
            failed(Error{ErrorCode::Unsupported,
                         "this model's template does not know of reasoning; leave --reasoning out",
                         {}});
        return;
    }
    m_model = model;
    if (ready) ready(model->id());
}

}  // namespace lacuna::app
