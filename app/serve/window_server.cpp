#include "app/serve/window_server.h"

#include <QTimer>
#include <filesystem>
#include <optional>
#include <utility>

#include "app/serve/api_error.h"
#include "app/serve/api_server.h"
#include "app/serve/http_server.h"
#include "app/serve/serve_program.h"
#include "engine/base/string_format.h"
#include "engine/host/engine_host.h"

namespace lacuna::app {

namespace {

constexpr int kLookMs = 200;  ///< polling interval for changes of the view
/// Number of polls that a client has to read the last answer.
constexpr int kQuietLooks = 5;

QString text(const std::string& bytes) {
    return QString::fromStdString(bytes);
}

QString endText(const LoggedRequest& request) {
    switch (*request.end) {
        case FinishReason::Stop:
        case FinishReason::StopString:
            return QStringLiteral("stop");
        case FinishReason::Length:
        case FinishReason::ContextFull:
            return QStringLiteral("length");
        case FinishReason::Cancelled:
            return QStringLiteral("cancelled");
        case FinishReason::Error:
            return text(request.problem);
    }
    return {};
}

RequestState stateOf(const LoggedRequest& request) {
    if (!request.end)
        return request.answerTokens > 0 ? RequestState::Writing : RequestState::Reading;
    return *request.end == FinishReason::Error       ? RequestState::Failed
           : *request.end == FinishReason::Cancelled ? RequestState::Stopped
                                                     : RequestState::Done;
}

ServedRequest viewOf(const LoggedRequest& request, LoggedRequest::Clock::time_point now) {
    ServedRequest view;
    view.id = request.id;
    view.asked = QDateTime::fromMSecsSinceEpoch(
        std::chrono::duration_cast<std::chrono::milliseconds>(request.asked.time_since_epoch())
            .count());
    view.state = stateOf(request);
    if (request.end) view.end = endText(request);
    view.promptTokens = request.promptTokens;
    view.readTokens = request.readTokens;
    view.reusedTokens = request.reusedTokens;
    view.answerTokens = request.answerTokens;
    view.seconds = request.seconds(now);
    view.tokensPerSecond = request.tokensPerSecond().value_or(0);
    return view;
}

}  // namespace

/// State of a running server; lives on the server's thread.
class WindowServer::Desk final : public QObject {
  public:
    using Report = std::function<void(ServerView view)>;

    Desk(EngineHost& engine, std::string version, Report report)
        : m_engine(engine), m_version(std::move(version)), m_report(std::move(report)) {}

    void start(const ServerSettings& settings) {
        if (m_server) return;
        m_view = {.state = ServerState::Starting};
        m_report(m_view);
        if (const Status opened = open(settings); !opened) close(text(opened.error().what));
    }
    void finish() {
        if (!m_server) return;
        m_server->http.close();
        m_view.state = ServerState::Finishing;
        m_reported = false;
        look();
    }
    void close(const QString& problem = {}) {
        if (m_view.state == ServerState::Off) return;
        if (m_server) {
            const ApiError why{
                .status = 503, .message = "the server was switched off", .code = "SHUTTING_DOWN"};
            m_server->api.shutDown(why);
            m_server->http.shutDown(errorReply(why));
        }
        m_server.reset();
        m_view = {.state = ServerState::Off, .problem = problem};
        m_report(m_view);
    }

  private:
    struct Server {
        Server(ServeOptions options, EngineHost& engine)
            : api(std::move(options), engine), http(api, {}, {}) {}
        ApiServer api;
        HttpServer http;
        QTimer look;
    };

    [[nodiscard]] Status open(const ServerSettings& settings) {
        const std::string host = settings.host.trimmed().toStdString();
        AccessRules access{.loopback = isLoopbackName(host)};
        if (!settings.key.isEmpty()) access.keys.push_back(digestOf(settings.key.toStdString()));
        if (!access.loopback && access.keys.empty())
            return fail(
                ErrorCode::InvalidArgument,
                host + " can be reached from other machines; set a key, or listen on 127.0.0.1");
        ServeOptions options;
        options.alias = settings.alias.trimmed().toStdString();
        options.slots = settings.slots;
        options.embeddings = poolingOf(settings.embeddings.toStdString());
        options.slotFolder = settings.slotFolder.trimmed().toStdString();
        std::error_code ignored;
        if (!options.slotFolder.empty() &&
            !std::filesystem::is_directory(options.slotFolder, ignored))
            return fail(ErrorCode::NotFound,
                        format("{} is not a folder; choose another folder for saved caches",
                               options.slotFolder.string()));
        options.version = m_version;
        m_server = std::make_unique<Server>(std::move(options), m_engine);
        LACUNA_TRY_STATUS(m_server->http.listenAt(host, static_cast<std::uint16_t>(settings.port)));
        access.port = m_server->http.serverPort();
        m_server->api.setAccess(access);
        m_server->api.failed = [this](const Error& error) { closeSoon(text(error.what)); };
        m_view.state = ServerState::On;
        m_reported = false;
        m_view.address = text(addressOf(host, access.port));
        QObject::connect(&m_server->look, &QTimer::timeout, this, [this] { look(); });
        m_server->look.start(kLookMs);
        look();
        return {};
    }

    /// Deferred because the caller would be destroyed.
    void closeSoon(const QString& problem) {
        QMetaObject::invokeMethod(
            this, [this, problem] { close(problem); }, Qt::QueuedConnection);
    }

    /// Reports changes of the view; closes a finishing server after its last answer.
    void look() {
        const RequestScheduler& scheduler = m_server->api.scheduler();
        const auto now = LoggedRequest::Clock::now();
        ServerView view = m_view;
        view.model = text(m_server->api.modelId());
        view.running = scheduler.running();
        view.waiting = scheduler.waiting();
        view.connections = m_server->http.connections();
        view.requests = m_server->api.requests();
        view.recent.clear();
        for (const LoggedRequest& request : m_server->api.log().requests())
            view.recent.push_back(viewOf(request, now));
        const bool quiet = view.running + view.waiting == 0;
        m_quietLooks = quiet && view.state == ServerState::Finishing ? m_quietLooks + 1 : 0;
        if (m_quietLooks > 0 && (view.connections == 0 || m_quietLooks >= kQuietLooks))
            return closeSoon({});
        if (m_reported && view == m_view) return;
        m_reported = true;
        m_view = std::move(view);
        m_report(m_view);
    }

    EngineHost& m_engine;
    const std::string m_version;
    const Report m_report;
    std::unique_ptr<Server> m_server;
    ServerView m_view;
    bool m_reported = false;  ///< m_view was reported
    int m_quietLooks = 0;
};

WindowServer::WindowServer(EngineHost& engine, std::string version, ViewCallback onView)
    : m_window(std::make_unique<QObject>()) {
    const auto report = [window = m_window.get(), onView = std::move(onView)](ServerView view) {
        QMetaObject::invokeMethod(
            window, [onView, view = std::move(view)] { onView(view); }, Qt::QueuedConnection);
    };
    m_scheduler = new Desk(engine, std::move(version), report);
    m_scheduler->moveToThread(&m_thread);
    QObject::connect(&m_thread, &QThread::finished, m_scheduler, &QObject::deleteLater);
    m_thread.setObjectName(QStringLiteral("server"));
}

WindowServer::~WindowServer() {
    if (!m_thread.isRunning()) {
        delete m_scheduler;  // the thread was never started
        return;
    }
    m_thread.quit();
    m_thread.wait();
}

void WindowServer::start(const ServerSettings& settings) {
    if (!m_thread.isRunning()) m_thread.start();
    QMetaObject::invokeMethod(
        m_scheduler, [scheduler = m_scheduler, settings] { scheduler->start(settings); },
        Qt::QueuedConnection);
}

void WindowServer::finish() {
    QMetaObject::invokeMethod(
        m_scheduler, [scheduler = m_scheduler] { scheduler->finish(); }, Qt::QueuedConnection);
}

void WindowServer::stop() {
    QMetaObject::invokeMethod(
        m_scheduler, [scheduler = m_scheduler] { scheduler->close(); }, Qt::QueuedConnection);
}

}  // namespace lacuna::app
