#pragma once
/// \file
/// The server between requests and the engine: a request that may be asked leads to whoever answers
/// it, and what the engine says to whoever waits for it. Long work is done by others: reading and
/// encoding by RequestWorkers, answers by the engine's thread, at the AnswerDesk's word. Owned by
/// the server's thread. docs/server.md, "Endpoints".

#include <QObject>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/serve/access_rules.h"
#include "app/serve/answer_desk.h"
#include "app/serve/answer_session.h"
#include "app/serve/api_routes.h"
#include "app/serve/embedding_desk.h"
#include "app/serve/generation_request.h"
#include "app/serve/http_connection.h"
#include "app/serve/request_log.h"
#include "app/serve/request_workers.h"
#include "app/serve/response_store.h"
#include "app/serve/serve_options.h"
#include "app/serve/served_model.h"
#include "app/serve/server_metrics.h"
#include "app/serve/settings_changes.h"
#include "app/serve/slot_files.h"
#include "app/state/event_delivery.h"
#include "engine/host/engine_host.h"

namespace lacuna::app {

class ApiServer final : public QObject, public HttpHandler {
    Q_OBJECT

  public:
    /// With an engine of its own, which loads the model.
    explicit ApiServer(ServeOptions options);
    /// With the engine of a window, which outlives it: model, machine and settings are those that
    /// it has, now and later.
    ApiServer(ServeOptions options, EngineHost& shared);
    /// Breaks off what is being answered, and gives back what its conversations have of an engine
    /// that goes on.
    ~ApiServer() override;

    /// Who may ask; before the first connection.
    void setAccess(AccessRules rules) { m_access = std::move(rules); }

    [[nodiscard]] std::optional<HttpReply> refusal(const HttpHead& head) override;
    void handle(HttpRequest request, std::shared_ptr<HttpExchange> exchange) override;
    [[nodiscard]] std::vector<HttpField> fieldsFor(const HttpHead& head) override;

    /// Ends every answer with this error, the streams with its event. The connections are still
    /// there: HttpServer::shutDown.
    void shutDown(const ApiError& why);

    // --- for whoever looks at it ---
    [[nodiscard]] const RequestLog& log() const { return m_log; }
    [[nodiscard]] const AnswerDesk& desk() const { return m_desk; }
    [[nodiscard]] std::int64_t requests() const { return m_requests; }  ///< of any kind
    /// As clients name it; empty: none is loaded.
    [[nodiscard]] std::string modelId() const { return m_model ? m_model->id() : std::string(); }

    /// The model is loaded and requests are answered; why it never will be.
    std::function<void(const std::string& modelId)> ready;
    std::function<void(const Error&)> failed;
    /// Optional hook for notices of the engine, sentences.
    std::function<void(const std::string&)> noted;

  private:
    using Exchange = std::shared_ptr<HttpExchange>;
    ApiServer(ServeOptions options, std::unique_ptr<EngineHost> own, EngineHost* shared);

    struct Call {
        HttpRequest request;
        Exchange exchange;
        std::string parameter;  ///< what stands where the path has {}
    };

    // --- requests ---
    /// Those that are answered whether there is a model or not.
    [[nodiscard]] bool answerWithoutModel(Endpoint endpoint, Call& call);
    void answer(Endpoint endpoint, Call& call);
    void oneModel(const Call& call);
    void slots(const Call& call);
    void metrics(const Call& call);
    void changeCompression(const Call& call, SettingsChanges::LeftOut leftOut);
    void clearCaches(const Call& call);
    void keptResponse(const Call& call);
    void forgetResponse(const Call& call);
    void cancelRequest(const Call& call);
    void embed(Call& call, EmbeddingDesk::Form form);
    void generate(Call& call, AnswerShape shape);
    /// Reads and encodes what is asked on a worker; then it is answered.
    using AskedReader = std::function<ApiResult<AskedAnswers>(
        const std::string& body, const ServedModel&, const RequestDefaults&, const StopAsked&)>;
    void prepare(Call& call, AskedReader read);
    void begin(AskedAnswers asked, const Exchange& exchange);
    /// Reads the body's object on a worker and answers with what `make` gives.
    using Maker =
        std::function<ApiResult<OrderedJson>(JsonFields&, const ServedModel&, const StopAsked&)>;
    void answerByWorker(Call& call, Maker make);

    // --- events ---
    void send(Command command);
    void take(const Event& event);
    void loaded(const ModelLoaded& loaded);
    void unloaded();
    void applied(const ConfigApplied& applied);
    void rejected(const ConfigRejected& rejected);

    [[nodiscard]] RequestDefaults defaults() const;
    [[nodiscard]] SettingsShown settingsShown() const { return m_settings.shown(m_model->facts()); }

    const std::unique_ptr<EngineHost> m_own;  // or null
    EngineHost& m_engine;
    EventDelivery m_events;  // on this thread, so never while this is destroyed
    const ServeOptions m_options;
    const std::int64_t m_created;
    AccessRules m_access;
    std::shared_ptr<const ServedModel> m_model;
    ServerMetrics m_metrics;
    RequestLog m_log;
    SettingsChanges m_settings;
    AnswerDesk m_desk;
    SlotFiles m_slotFiles;
    std::int64_t m_requests = 0;
    std::map<std::string, std::weak_ptr<AnswerSession>, std::less<>> m_sessions;  // by id
    const std::shared_ptr<ResponseStore> m_responses = std::make_shared<ResponseStore>();
    EmbeddingDesk m_embeddings;
    RequestWorkers m_workers;  // last: their results use what stands above
};

}  // namespace lacuna::app
