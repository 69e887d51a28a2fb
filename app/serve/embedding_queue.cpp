#include "app/serve/embedding_queue.h"

#include <atomic>
#include <chrono>
#include <utility>
#include <vector>

#include "app/serve/api_error.h"
#include "app/serve/embedding_request.h"
#include "app/serve/generation_request.h"
#include "app/serve/request_scheduler.h"
#include "engine/base/string_format.h"

namespace lacuna::app {
namespace {

struct Embedded {
    OrderedJson answer;
    std::int64_t texts = 0, tokens = 0;
    double seconds = 0;
};

ApiResult<Embedded> embed(const std::string& body, EmbeddingQueue::Form form,
                          const ServedModel& model, TextEmbedder& embedder, Pooling pooling,
                          const StopRequested& stop) {
    const auto object = bodyObject(body);
    if (!object) return tl::unexpected<ApiError>(object.error());
    JsonFields fields(*object);
    checkModel(fields, model);
    if (fields.error()) return tl::unexpected<ApiError>(*fields.error());
    const auto asked = readEmbeddings(*object, form == EmbeddingQueue::Form::Native, model, pooling,
                                      embedder.width(), stop);
    if (!asked) return tl::unexpected<ApiError>(asked.error());
    Embedded result;
    const auto began = std::chrono::steady_clock::now();
    std::vector<std::vector<std::vector<float>>> vectors;
    for (const auto& text : asked->texts) {
        auto one = embedder.embed(text, pooling, stop);
        if (!one) return tl::unexpected<ApiError>(apiErrorOf(one.error()));
        if (asked->normalised)
            for (auto& vector : *one) normalise(vector);
        vectors.push_back(std::move(*one));
        ++result.texts;
        result.tokens += static_cast<std::int64_t>(text.size());
    }
    result.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    result.answer = embeddingsJson(*asked, vectors, model);
    return result;
}

}  // namespace

void EmbeddingQueue::ask(Form form, std::string body, const Dependencies& dependencies,
                         const std::shared_ptr<HttpExchange>& exchange) {
    const auto refuse = [&](const ApiError& error) { exchange->reply(errorReply(error)); };
    if (!m_pooling)
        return refuse({.status = 501,
                       .message = "embeddings are switched off; start the server with --embeddings",
                       .code = "UNSUPPORTED"});
    if (m_waiting >= RequestScheduler::kMaxWaiting)
        return refuse(
            {.status = 429,
             .message = format("{} requests are waiting already", RequestScheduler::kMaxWaiting),
             .code = "QUEUE_FULL",
             .retryAfterSeconds = 1});
    if (!m_embedder) {
        auto made = TextEmbedder::create(dependencies.model->loaded(), dependencies.precision,
                                         dependencies.threads);
        if (!made) return refuse(apiErrorOf(made.error()));
        m_embedder = std::move(*made);
    }
    ++m_waiting;
    const auto gone = std::make_shared<std::atomic<bool>>(false);
    exchange->onDisconnect = [gone] { *gone = true; };
    m_workers.startVectors(
        [this, form, gone, model = dependencies.model, embedder = m_embedder, pooling = *m_pooling,
         exchange, body = std::move(body)](const StopRequested& stop) -> std::function<void()> {
            const auto stopped = [&] { return gone->load() || stop(); };
            auto made = embed(body, form, *model, *embedder, pooling, stopped);
            HttpReply reply =
                made ? HttpReply{.body = dumpJson(made->answer)} : errorReply(made.error());
            Embedded done = made ? std::move(*made) : Embedded{};
            return [this, exchange, done = std::move(done), reply = std::move(reply)] {
                --m_waiting;
                m_metrics.embedded(done.texts, done.tokens, done.seconds);
                exchange->reply(reply);
            };
        });
}

}  // namespace lacuna::app
