#include "app/serve/serve_program.h"

#include <QCoreApplication>
#include <QTimer>
#include <algorithm>
#include <chrono>
#include <optional>

#include "app/serve/api_error.h"
#include "app/serve/http_server.h"
#include "engine/base/string_format.h"

namespace lacuna::app {
namespace {

/// Time for clients to receive pending output at shutdown.
constexpr std::chrono::milliseconds kDrain{1000};
constexpr std::chrono::milliseconds kDrainLook{10};

}  // namespace

std::string addressOf(const std::string& host, std::uint16_t port) {
    const bool six = host.find(':') != std::string::npos;
    return six ? format("http://[{}]:{}", host, port) : format("http://{}:{}", host, port);
}

Status runServe(int argc, char** argv, ServeProgram program, std::stop_token stop) {
    AccessRules access = std::move(program.access);
    const auto open = std::ranges::find_if_not(program.hosts, isLoopbackName);
    access.loopback = open == program.hosts.end();
    if (!access.loopback && access.keys.empty())
        return fail(ErrorCode::InvalidArgument,
                    format("{} can be reached from other machines; set a key with --api-key KEY, "
                           "or listen on 127.0.0.1",
                           *open));
    QCoreApplication application(argc, argv);
    std::optional<Error> problem;
    program.serve.metrics =
        program.metrics.value_or(access.loopback ? MetricsAccess::WithKey : MetricsAccess::Off);
    ApiServer api(std::move(program.serve));
    HttpLimits limits;
    limits.bodyBytes = program.bodyBytes;
    HttpServer server(api, limits, {});
    LACUNA_TRY_STATUS(server.listenAt(program.hosts.front(), program.port));
    for (std::size_t i = 1; i < program.hosts.size(); ++i)
        LACUNA_TRY_STATUS(server.listenAlsoAt(program.hosts[i]));
    access.port = server.serverPort();
    access.addresses = program.hosts;
    api.setAccess(access);
    api.ready = [&](const std::string&) {
        if (program.ready) program.ready(addressOf(program.hosts.front(), access.port));
    };
    api.noted = program.noted;
    QTimer drained;
    const auto end = [&](const ApiError& why) {
        if (drained.isActive()) return;
        api.shutDown(why);
        server.shutDown(errorReply(why));
        const auto begun = std::chrono::steady_clock::now();
        QObject::connect(&drained, &QTimer::timeout, &drained, [&server, begun] {
            if (server.connections() == 0 || std::chrono::steady_clock::now() - begun > kDrain)
                QCoreApplication::quit();
        });
        drained.start(server.connections() == 0 ? std::chrono::milliseconds(0) : kDrainLook);
    };
    api.failed = [&](const Error& error) {
        problem = error;
        end(apiErrorOf(error));
    };
    const std::stop_callback quit(stop, [&] {
        QMetaObject::invokeMethod(
            &application,
            [&] {
                end({.status = 503,
                     .message = "the server is shutting down",
                     .code = "SHUTTING_DOWN"});
            },
            Qt::QueuedConnection);
    });
    if (!stop.stop_requested()) QCoreApplication::exec();
    if (problem) return tl::unexpected<Error>(std::move(*problem));
    return {};
}

}  // namespace lacuna::app
