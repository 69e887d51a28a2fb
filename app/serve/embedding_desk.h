#pragma once
/// \file
/// Requests for vectors of texts: they wait for each other, no more of them than answers may, and
/// are read and computed on the workers' threads. Owned by the server's thread.
/// docs/server.md, "Embeddings".

#include <memory>
#include <optional>
#include <string>

#include "app/serve/http_connection.h"
#include "app/serve/request_workers.h"
#include "app/serve/served_model.h"
#include "app/serve/server_metrics.h"
#include "app/serve/text_embedder.h"

namespace lacuna::app {

class EmbeddingDesk {
  public:
    /// Without a pooling none are made. `workers` and `metrics` outlive what this starts.
    EmbeddingDesk(std::optional<Pooling> pooling, RequestWorkers& workers, ServerMetrics& metrics)
        : m_pooling(pooling), m_workers(workers), m_metrics(metrics) {}

    enum class Form { OpenAi, Native };
    /// What vectors are computed with.
    struct Means {
        std::shared_ptr<const ServedModel> model;
        Precision precision = Precision::Fast;
        int threads = 1;
    };
    void ask(Form form, std::string body, const Means& means,
             const std::shared_ptr<HttpExchange>& exchange);
    /// The model is gone; whoever is being answered keeps it till then.
    void forgetModel() { m_embedder.reset(); }

  private:
    const std::optional<Pooling> m_pooling;
    RequestWorkers& m_workers;
    ServerMetrics& m_metrics;
    std::shared_ptr<TextEmbedder> m_embedder;  // once it was asked for
    int m_waiting = 0;                         // requests that have no answer yet
};

}  // namespace lacuna::app
