#include "app/remote/remote_monitor.h"

namespace lacuna::app {

RemoteMonitor::RemoteMonitor(RemoteClient& client, QObject* parent)
    : QObject(parent), m_client(client) {
    m_timer.setSingleShot(true);
    connect(&m_timer, &QTimer::timeout, this, &RemoteMonitor::look);
}

void RemoteMonitor::start() {
    look();
}

void RemoteMonitor::look() {
    const QPointer<RemoteMonitor> here(this);
    m_client.ask({RemoteMethod::Get, QStringLiteral("/metrics")}, [here](const RemoteReply& reply) {
        if (here) here->take(reply);
    });
}

void RemoteMonitor::take(const RemoteReply& reply) {
    m_timer.start(reply ? kLookMs : kRareMs);
    if (!reply) {
        m_meter.reset();
        const RemoteProblem& problem = reply.error();
        const bool without =
            problem.fault == RemoteFault::NoEndpoint || problem.fault == RemoteFault::Unauthorized;
        if (without)
            Q_EMIT noMetrics(tr("It offers no metrics: %1").arg(problem.sentence));
        else
            Q_EMIT failed(problem.sentence);
        return;
    }
    const auto scrape = readMetrics({reply->constData(), static_cast<std::size_t>(reply->size())});
    if (!scrape) {
        Q_EMIT noMetrics(
            tr("Its metrics cannot be read: %1")
                .arg(engineWords(QString::fromStdString(scrape.error().what), m_client.key())));
        return;
    }
    const std::int64_t now = m_clock.nowNs();
    const FigureReadings readings = readingsOf(*scrape);
    Q_EMIT looked(
        {familyOf(*scrape), hasLmCache(*scrape), now, readings, m_meter.next(readings, now)});
}

}  // namespace lacuna::app
