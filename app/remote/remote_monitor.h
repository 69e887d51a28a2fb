#pragma once
/// \file
/// Looks at an engine's /metrics once a second and says what it read. One look at a time; where the
/// engine has no metrics or is not reached, it looks less often. GUI thread.

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
    /// The engine answers, but has no metrics there.
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
