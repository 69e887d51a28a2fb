#pragma once
/// \file
/// Polls an engine's /metrics once a second and publishes the values. Only one request is in flight
/// at a time; if the engine has no metrics or is unreachable, polling slows down. GUI thread.

#include <QObject>
#include <QPointer>
#include <QTimer>

#include "app/remote/engine_figures.h"
#include "app/remote/remote_client.h"
#include "engine/base/clock.h"

namespace lacuna::app {

class RemoteMonitor final : public QObject {
    Q_OBJECT

  public:
    static constexpr int kLookMs = 1000;
    static constexpr int kRareMs = 5000;

    explicit RemoteMonitor(RemoteClient& client, QObject* parent = nullptr);
    void start();

    struct Look {
        EngineFamily family = EngineFamily::Unknown;
        bool lmCache = false;
        std::int64_t timeNs = 0;
        FigureReadings readings;
        FigureValues values;
    };

  Q_SIGNALS:
    void looked(const lacuna::app::RemoteMonitor::Look& look);
    /// Emitted if the engine is reachable but offers no readable metrics.
    void noMetrics(const QString& sentence);
    void failed(const QString& sentence);

  private:
    void look();
    void take(const RemoteReply& reply);

    RemoteClient& m_client;
    QTimer m_timer;
    SteadyClock m_clock;
    FigureMeter m_meter;
};

}  // namespace lacuna::app
