#pragma once
/// \file
/// Queue of embedding requests: limits how many wait, as for answers, and parses and computes them
/// on the worker threads. Owned by the server's thread. docs/server.md, "Embeddings".

#include <memory>
#include <optional>
#include <string>

#include "app/serve/http_connection.h"
#include "app/serve/request_workers.h"
#include "app/serve/served_model.h"
#include "app/serve/server_metrics.h"
#include "app/serve/text_embedder.h"

namespace lacuna::app {

class EmbeddingQueue {
  public:
    /// Without a pooling, requests are refused. `workers` and `metrics` must outlive every request
    /// started here.
    EmbeddingQueue(std::optional<Pooling> pooling, RequestWorkers& workers, ServerMetrics& metrics)
        : m_pooling(pooling), m_workers(workers), m_metrics(metrics) {}

    enum class Form { OpenAi, Native };
    /// Inputs of the computation.
    struct Dependencies {
        std::shared_ptr<const ServedModel> model;
        Precision precision = Precision::Fast;
        int threads = 1;
    };
    void ask(Form form, std::string body, const Dependencies& dependencies,
             const std::shared_ptr<HttpExchange>& exchange);
    /// Drops the model. Requests being answered keep it alive until they end.
    void dropModel() { m_embedder.reset(); }

  private:
    const std::optional<Pooling> m_pooling;
    RequestWorkers& m_workers;
    ServerMetrics& m_metrics;
    std::shared_ptr<TextEmbedder> m_embedder;  // created by the first request
    int m_waiting = 0;                         // requests not answered yet
};

}  // namespace lacuna::app
