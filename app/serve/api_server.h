#pragma once
/// \file
/// What the server answers: which path and method leads where, who may ask, and everything that is
/// no generation. Long work is done by others: reading and encoding by RequestWorkers, answers by
/// the engine's thread, at the AnswerDesk's word. Owned by the server's thread.
/// docs/server.md, "Endpoints".

#include <QObject>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/serve/access_rules.h"
#include "app/serve/answer_desk.h"
#include "app/serve/answer_session.h"
#include "app/serve/cache_admin.h"
#include "app/serve/embedding_request.h"
#include "app/serve/engine_door.h"
#include "app/serve/generation_request.h"
#include "app/serve/http_connection.h"
#include "app/serve/request_log.h"
#include "app/serve/request_workers.h"
#include "app/serve/response_store.h"
#include "app/serve/served_model.h"
#include "app/serve/server_metrics.h"
#include "engine/session/precision_source.h"

namespace lacuna::app {

struct ServeOptions {
    std::filesystem::path model;
    std::filesystem::path draft = {};
    std::string alias = {};  ///< name of the model for clients, further ones after commas; empty:
                             ///< that of the file
    int slots = 4;
    std::filesystem::path slotFolder = {};  ///< of saved caches; empty: none are saved
    TemplateChoice chatTemplate = {};
    std::optional<bool> reasoning = std::nullopt;
    std::optional<Pooling> embeddings = std::nullopt;  ///< how vectors are made; none: they are not
    EngineConfig config = {};
    MachineFacts machine = {};
    PrecisionSource precision = {};
    std::filesystem::path profileFolder = {};
    std::chrono::milliseconds keepAlive{10'000};
    bool verbose = false;      ///< answers bear the native form as well
    std::string version = {};  ///< of the program
    /// Of an engine that somebody else has as well, who alone changes the settings of all.
    struct Shared {
        ConversationId conversations;  ///< ours begin here
        Revision revisions;            ///< so do our changes to settings of one of them
    };
    std::optional<Shared> shared = std::nullopt;
};

/// "A,B": each of them once.
[[nodiscard]] std::vector<std::string> namesIn(const std::string& list);

class ApiServer final : public QObject, public HttpHandler {
    Q_OBJECT

  public:
    /// With an engine of its own, which loads the model.
    explicit ApiServer(ServeOptions options);
    /// With that engine; the model is the one it has, now or later.
    ApiServer(ServeOptions options, std::unique_ptr<EngineDoor> engine);
    /// Breaks off what is being answered, and gives back what its conversations have of an engine
    /// that goes on.
    ~ApiServer() override;

    /// Who may ask; before the first connection.
    void setAccess(AccessRules rules) { m_access = std::move(rules); }

    [[nodiscard]] std::optional<HttpReply> refusal(const HttpHead& head) override;
    void handle(HttpRequest request, std::shared_ptr<HttpExchange> exchange) override;
    [[nodiscard]] std::vector<HttpField> fieldsFor(const HttpHead& head) override;

    // --- for whoever looks at it ---
    [[nodiscard]] const RequestLog& log() const { return m_log; }
    [[nodiscard]] const AnswerDesk& desk() const { return m_desk; }
    [[nodiscard]] std::int64_t requests() const { return m_requests; }  ///< of any kind
    /// As clients name it; empty: none is loaded.
    [[nodiscard]] std::string modelId() const { return m_model ? m_model->id() : std::string(); }

    /// The model is loaded and requests are answered; why it never will be.
    std::function<void(const std::string& modelId)> ready;
    std::function<void(const Error&)> failed;

  private:
    using Exchange = std::shared_ptr<HttpExchange>;
    struct Call {
        HttpRequest request;
        Exchange exchange;
        std::string parameter;  ///< what stands where the path has {}
    };
    using Handler = void (ApiServer::*)(Call&);
    struct Route {
        const char* method;
        const char* path;  ///< may hold one {}
        Handler handler;
        enum class Body { None, Json, Optional } body = Body::None;
        bool open = false;  ///< needs no key
    };
    struct Match {
        const Route* route = nullptr;
        std::string parameter = {};
        std::string allowed = {};  ///< methods of this path
    };
    [[nodiscard]] static const std::vector<Route>& routes();
    [[nodiscard]] static Match match(const HttpHead& head);

    // --- requests ---
    void health(Call& call);
    void models(Call& call);
    void oneModel(Call& call);
    void props(Call& call);
    void slots(Call& call);
    void slotAction(Call& call);
    void metrics(Call& call);
    void compressionStatus(Call& call);
    void compressionConfig(Call& call);
    void changeCompression(Call& call) { setCompression(call, m_requested); }
    /// What is left out is as the server was started with.
    void replaceCompression(Call& call) { setCompression(call, m_options.config); }
    void setCompression(Call& call, const EngineConfig& base);
    void cacheStatus(Call& call);
    void clearCaches(Call& call);
    void tokenize(Call& call);
    void detokenize(Call& call);
    void applyTemplate(Call& call);
    void countTokens(Call& call, bool ofResponse);
    void countChat(Call& call) { countTokens(call, false); }
    void countResponse(Call& call) { countTokens(call, true); }
    void chatCompletions(Call& call) { generate(call, AnswerShape::Chat); }
    void completions(Call& call) { generate(call, AnswerShape::Completion); }
    void responses(Call& call) { generate(call, AnswerShape::Responses); }
    void keptResponse(Call& call);
    void forgetResponse(Call& call);
    void nativeCompletion(Call& call) { generate(call, AnswerShape::Native); }
    void cancelRequest(Call& call);
    void embeddings(Call& call) { embed(call, false); }
    void nativeEmbeddings(Call& call) { embed(call, true); }
    void embed(Call& call, bool native);
    void notBuilt(Call& call);

    void infill(Call& call) { prepare(call, readInfill); }
    void generate(Call& call, AnswerShape shape);
    /// Reads and encodes what is asked on a worker; then it is answered.
    using AskedReader = std::function<ApiResult<AskedAnswers>(
        const std::string& body, const ServedModel&, const RequestDefaults&, const StopAsked&)>;
    void prepare(Call& call, AskedReader read);
    void answer(AskedAnswers asked, const Exchange& exchange);
    /// Reads the body's object on a worker and answers with what `make` gives.
    using Maker =
        std::function<ApiResult<OrderedJson>(JsonFields&, const ServedModel&, const StopAsked&)>;
    void answerByWorker(Call& call, Maker make);
    void saveSlot(int slot, const OrderedJson& body, const Exchange& exchange, bool restore);
    /// The model, or an answer that there is none yet.
    [[nodiscard]] std::shared_ptr<const ServedModel> modelFor(const Exchange& exchange);

    // --- events ---
    void send(Command command);
    void take(const Event& event);
    void loaded(const ModelLoaded& loaded);
    void unloaded();
    void moved(const PromptCacheMoved& moved);
    void applied(const ConfigApplied& applied);
    void rejected(const ConfigRejected& rejected);
    void superseded(const ConfigSuperseded& superseded);
    /// Whoever waits for that change of the settings.
    [[nodiscard]] std::vector<Exchange> takeChange(Revision revision);

    [[nodiscard]] OrderedJson modelJson() const;
    [[nodiscard]] RequestDefaults defaults() const;
    [[nodiscard]] SettingsShown settingsShown() const;

    const ServeOptions m_options;
    const std::int64_t m_created;
    AccessRules m_access;
    EngineConfig m_config;     // in force
    EngineConfig m_requested;  // by the newest change
    std::int64_t m_inForceSince;
    Revision m_revision;
    std::map<Revision, std::vector<Exchange>> m_changes;
    std::map<Revision, ConversationId> m_ownChanges;       // cache settings of one answer
    std::map<ConversationId, EngineConfig> m_turnConfigs;  // as each one's last answer began
    std::shared_ptr<const ServedModel> m_model;
    ServerMetrics m_metrics;
    RequestLog m_log;
    AnswerDesk m_desk;
    std::int64_t m_requests = 0;
    std::map<std::string, std::weak_ptr<AnswerSession>, std::less<>> m_sessions;  // by id
    const std::shared_ptr<ResponseStore> m_responses = std::make_shared<ResponseStore>();
    struct Move {
        Exchange exchange;
        std::string name;
        std::chrono::steady_clock::time_point began;
    };
    std::map<int, Move> m_moves;               // by slot
    std::shared_ptr<TextEmbedder> m_embedder;  // once it was asked for
    int m_embedding = 0;                       // requests that wait for vectors
    RequestWorkers m_workers;
    std::unique_ptr<EngineDoor> m_engine;  // last: its events use what stands above
};

}  // namespace lacuna::app
