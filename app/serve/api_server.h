#pragma once
/// \file
/// Connects HTTP requests with the engine: dispatches each request to the component that answers
/// it, and engine events to the waiting sessions. Long work runs elsewhere: parsing and tokenizing
/// on RequestWorkers, answers on the engine's thread as scheduled by RequestScheduler. Owned by the
/// server's thread. docs/server.md, "Endpoints".

#include <QObject>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/serve/access_rules.h"
#include "app/serve/answer_session.h"
#include "app/serve/api_routes.h"
#include "app/serve/embedding_queue.h"
#include "app/serve/generation_request.h"
#include "app/serve/http_connection.h"
#include "app/serve/request_log.h"
#include "app/serve/request_scheduler.h"
#include "app/serve/request_workers.h"
#include "app/serve/response_store.h"
#include "app/serve/serve_options.h"
#include "app/serve/served_model.h"
#include "app/serve/server_metrics.h"
#include "app/serve/settings_changes.h"
#include "app/serve/slot_files.h"
#include "app/state/engine/event_delivery.h"
#include "engine/host/engine_host.h"

namespace lacuna::app {

class ApiServer final : public QObject, public HttpHandler {
    Q_OBJECT

  public:
    /// Creates an engine of its own, which loads the model.
    explicit ApiServer(ServeOptions options);
    /// Shares the engine of a window, which must outlive this object. Model, machine and settings
    /// are those of that engine, including later changes.
    ApiServer(ServeOptions options, EngineHost& shared);
    /// Cancels running answers and releases the caches of its conversations in a shared engine.
    ~ApiServer() override;

    /// Sets the access rules. @pre no connection has been accepted
    void setAccess(AccessRules rules) { m_access = std::move(rules); }

    [[nodiscard]] std::optional<HttpReply> refusal(const HttpHead& head) override;
    void handle(HttpRequest request, std::shared_ptr<HttpExchange> exchange) override;
    [[nodiscard]] std::vector<HttpField> fieldsFor(const HttpHead& head) override;

    /// Ends every answer with this error; streams get it as an event. The connections stay open:
    /// HttpServer::shutDown closes them.
    void shutDown(const ApiError& reason);

    // --- for observers ---
    [[nodiscard]] const RequestLog& log() const { return m_log; }
    [[nodiscard]] const RequestScheduler& scheduler() const { return m_scheduler; }
    [[nodiscard]] std::int64_t requests() const { return m_requests; }  ///< requests of any kind
    /// Model id for clients; empty if no model is loaded.
    [[nodiscard]] std::string modelId() const { return m_model ? m_model->id() : std::string(); }

    /// Called when the model is loaded and requests are answered; `failed` if it cannot be loaded.
    std::function<void(const std::string& modelId)> ready;
    std::function<void(const Error&)> failed;
    /// Optional hook for notices of the engine, as sentences.
    std::function<void(const std::string&)> noted;

  private:
    using Exchange = std::shared_ptr<HttpExchange>;
    ApiServer(ServeOptions options, std::unique_ptr<EngineHost> own, EngineHost* shared);

    struct Call {
        HttpRequest request;
        Exchange exchange;
        std::string parameter;  ///< text in the position of {}
    };

    // --- requests ---
    void answer(Endpoint endpoint, Call& call);
    void oneModel(const Call& call);
    void slots(const Call& call);
    void metrics(const Call& call);
    void changeCompression(const Call& call, SettingsChanges::LeftOut leftOut);
    void clearCaches(const Call& call);
    void storedResponse(const Call& call);
    void deleteResponse(const Call& call);
    void cancelRequest(const Call& call);
    void embed(Call& call, EmbeddingQueue::Form form);
    void generate(Call& call, AnswerShape shape);
    /// Parses and tokenizes a request; called on a worker before the request is answered.
    using RequestReader = std::function<ApiResult<RequestedAnswers>(
        const std::string& body, const ServedModel&, const RequestDefaults&, const StopRequested&)>;
    void prepare(Call& call, RequestReader read);
    void begin(RequestedAnswers asked, const Exchange& exchange);
    /// Builds the reply to a body's object; called on a worker.
    using Maker = std::function<ApiResult<OrderedJson>(JsonFields&, const ServedModel&,
                                                       const StopRequested&)>;
    void answerOnWorker(Call& call, Maker make);

    // --- events ---
    void send(Command command);
    void take(const Event& event);
    void loaded(const ModelLoaded& loaded);
    void unloaded();
    void applied(const ConfigApplied& applied);
    void onConfigRejected(const ConfigRejected& rejected);

    [[nodiscard]] RequestDefaults defaults() const;
    [[nodiscard]] SettingsShown settingsShown() const { return m_settings.shown(m_model->facts()); }

    const std::unique_ptr<EngineHost> m_own;  // null if the engine is shared
    EngineHost& m_engine;
    EventDelivery m_events;  // delivers on this thread, so never during destruction
    const ServeOptions m_options;
    const std::int64_t m_created;
    AccessRules m_access;
    std::shared_ptr<const ServedModel> m_model;
    ServerMetrics m_metrics;
    RequestLog m_log;
    SettingsChanges m_settings;
    RequestScheduler m_scheduler;
    SlotFiles m_slotFiles;
    std::int64_t m_requests = 0;
    std::map<std::string, std::weak_ptr<AnswerSession>, std::less<>> m_sessions;  // by reply id
    const std::shared_ptr<ResponseStore> m_responses = std::make_shared<ResponseStore>();
    EmbeddingQueue m_embeddings;
    RequestWorkers m_workers;  // declared last: its results use the members above
};

}  // namespace lacuna::app
