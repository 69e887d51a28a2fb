#pragma once
/// \file
/// A server with the test model on its own thread, and requests to it over real sockets.

#include <gtest/gtest.h>

#include <QEventLoop>
#include <chrono>
#include <future>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "app/serve/api_server.h"
#include "app/serve/http_server.h"
#include "engine/base/json.h"
#include "engine/session/read_facts.h"
#include "engine/settings/setting_value.h"
#include "tests/app/core_application.h"
#include "tests/app/serve/wire_client.h"
#include "tests/support/poll_until.h"

namespace lacuna::test {

inline app::ServeOptions pilot(int slots) {
    app::ServeOptions options;
    options.model = LACUNA_RESOURCE_DIR "/models/pilot-29m-q8_0.gguf";
    options.alias = "pilot";
    options.slots = slots;
    options.machine = machineFacts();
    options.keepAlive = std::chrono::milliseconds(20);
    options.version = "0.1";
    const std::vector<std::string> settings{"precision=fast", "temperature=0", "max_tokens=12",
                                            "parallel=" + std::to_string(slots)};
    options.config = *withSettings(EngineConfig{}, settings);
    return options;
}

/// A server with the test model on its own thread, ready for requests.
class Server {
  public:
    explicit Server(app::ServeOptions options, app::AccessRules access = {}) {
        app::coreApplication();
        std::promise<void> loaded;
        auto waits = loaded.get_future();
        thread_ = std::thread([&, options = std::move(options), access]() mutable {
            QEventLoop loop;
            loop_ = &loop;
            app::ApiServer api(std::move(options));
            app::HttpServer server(api, {}, {});
            if (!server.listenAt("127.0.0.1", 0)) return loaded.set_value();
            access.port = server.serverPort();
            api.setAccess(access);
            api.ready = [&](const std::string&) {
                port = access.port;
                loaded.set_value();
            };
            api.failed = [&](const Error&) { loaded.set_value(); };
            loop.exec();
        });
        waits.wait();
    }
    ~Server() {
        QMetaObject::invokeMethod(loop_, &QEventLoop::quit, Qt::QueuedConnection);
        thread_.join();
    }
    [[nodiscard]] std::string request(const std::string& line, const std::string& body = {},
                                      const std::string& fields = {}) const {
        std::string text =
            line + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) + "\r\n" + fields;
        if (!body.empty())
            text +=
                "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
                "\r\n";
        return text + "\r\n" + body;
    }
    [[nodiscard]] WireAnswer get(const std::string& path) const {
        return ask(port, request("GET " + path));
    }
    [[nodiscard]] WireAnswer post(const std::string& path, const OrderedJson& body) const {
        return ask(port, request("POST " + path, body.dump()));
    }
    [[nodiscard]] OrderedJson json(const std::string& path, const OrderedJson& body) const {
        const WireAnswer answer = post(path, body);
        EXPECT_EQ(answer.status, 200) << path << " " << answer.body;
        return OrderedJson::parse(answer.body, nullptr, false);
    }
    /// The data of each event of a stream.
    [[nodiscard]] std::vector<std::string> events(const std::string& path,
                                                  const OrderedJson& body) const {
        const WireAnswer answer = post(path, body);
        EXPECT_EQ(answer.status, 200) << answer.body;
        EXPECT_EQ(answer.field("Content-Type"), "text/event-stream; charset=utf-8");
        EXPECT_EQ(answer.field("X-Accel-Buffering"), "no");
        std::vector<std::string> events;
        std::size_t at = 0;
        while (at < answer.body.size()) {
            const std::size_t end = answer.body.find("\n\n", at);
            EXPECT_NE(end, std::string::npos);
            const std::string line = answer.body.substr(at, end - at);
            if (line.rfind("data: ", 0) == 0)
                events.push_back(line.substr(6));
            else
                EXPECT_EQ(line.rfind(": ", 0), 0U) << line;
            at = end + 2;
        }
        return events;
    }
    /// Waits until `count` answers are running.
    [[nodiscard]] bool waitForRunning(int count) const {
        return pollUntil([&] {
            int busy = 0;
            for (const OrderedJson& slot : OrderedJson::parse(get("/slots").body))
                busy += slot["is_processing"].get<bool>() ? 1 : 0;
            return busy == count;
        });
    }
    std::uint16_t port = 0;

  private:
    QEventLoop* loop_ = nullptr;
    std::thread thread_;
};

inline OrderedJson question(const std::string& text) {
    return {{"messages", OrderedJson::array({{{"role", "user"}, {"content", text}}})}};
}

inline OrderedJson with(OrderedJson body, const OrderedJson& more) {
    body.update(more);
    return body;
}

}  // namespace lacuna::test
