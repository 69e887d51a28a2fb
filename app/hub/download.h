#pragma once
/// \file
/// One model on its way here: its files one after the other into part files, checked, and given
/// their names at the end, all together. What has come is kept when it is paused, breaks off or the
/// program ends; it goes on only where the same bytes follow for sure (a strong entity tag, or a
/// digest that is checked at the end), else from the start. Lives on one thread with an event loop.

#include <QCryptographicHash>
#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <QTimer>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "app/hub/hub_fetch.h"
#include "app/hub/hub_order.h"
#include "app/hub/part_file.h"

namespace lacuna::app {

enum class DownloadState {
    Waiting,   ///< not begun, or paused; no socket is open
    Checking,  ///< reads what has come before
    Running,
    Done,
    Failed,  ///< paused by a problem; may be resumed
};

struct DownloadView {
    QString title;
    QString path;  ///< what can be opened at the end
    DownloadState state = DownloadState::Waiting;
    qint64 done = 0;
    qint64 total = -1;          ///< -1: not known yet
    double bytesPerSecond = 0;  ///< over the last seconds
    double secondsLeft = -1;    ///< below 0: not known
    int file = 0, files = 0;    ///< from 1
    QString sentence;           ///< the problem, or what is to be known of the end
    std::optional<HubFault> fault;
};

struct DownloadMeans {
    QByteArray token = {};  ///< for the order's hub
    int timeoutMs = 30'000;
    int retries = 4;  ///< of a connection that broke off, since usefulBytes have come
    /// Bytes beyond the furthest one after which tries are counted anew.
    qint64 usefulBytes = qint64{256} << 10;
    int retryDelayMs = 1000;  ///< of the first one, twice as much for each further one
    /// Bytes that a folder's disk has room for; below 0: unknown.
    std::function<qint64(const QString& folder)> room = {};
    qint64 roomLeft = qint64{64} << 20;   ///< that the disk keeps
    qint64 syncEvery = qint64{64} << 20;  ///< bytes between two looks at the disk
};

class Download final : public QObject {
    Q_OBJECT

  public:
    Download(HubOrder order, DownloadMeans means, QObject* parent = nullptr);
    ~Download() override;

    [[nodiscard]] const HubOrder& order() const { return m_order; }
    [[nodiscard]] DownloadView view() const;
    /// Begins, or goes on where it stopped.
    void start();
    /// Keeps what has come.
    void pause();
    /// Removes what has come; not while it runs.
    void discard();

  Q_SIGNALS:
    void changed();
    /// Done, failed or paused.
    void stopped();

  private:
    [[nodiscard]] HubItem& item() { return m_order.items[m_at]; }
    [[nodiscard]] PartFile& part() { return *m_parts.back(); }
    [[nodiscard]] std::optional<HubProblem> prepare();
    [[nodiscard]] std::optional<HubProblem> checkKind();
    [[nodiscard]] std::optional<HubProblem> whyNoRoom() const;
    void takeUp();
    void openItem();
    void passItem();
    void readBack();
    void ask();
    void beginAnew(const QString& why);
    void onHead();
    void onBytes();
    void onEnded(const std::optional<HubProblem>& problem);
    [[nodiscard]] std::optional<HubProblem> takeWhole();
    [[nodiscard]] std::optional<HubProblem> takeRest();
    [[nodiscard]] std::optional<HubProblem> take(const QByteArray& bytes);
    [[nodiscard]] std::optional<HubProblem> lookAtDisk();
    void retryOr(const HubProblem& problem);
    void checkItem();
    void finish();
    void fail(const HubProblem& problem);
    void halt(DownloadState state);
    void putAside();
    void measure();
    void noteProgress();

    HubOrder m_order;
    const DownloadMeans m_means;
    HubFetch m_fetch;
    QTimer m_again;
    /// Of the items so far, nothing where an item has its name already. The first one locks the
    /// whole order.
    std::vector<std::optional<PartFile>> m_parts;
    QCryptographicHash m_hash;
    qsizetype m_at = 0;
    qint64 m_hashed = 0;  ///< bytes of the part that went into the hash
    qint64 m_sinceSync = 0;
    bool m_kindKnown = false;  ///< its first bytes were looked at
    int m_retries = 0;
    qint64 m_furthest = 0;     ///< size of the part when the retries were last set to 0
    bool m_known = false;      ///< what lies there is of this order
    bool m_restarted = false;  ///< this item was begun anew once already
    bool m_unchecked = false;  ///< no digest was known of an item
    DownloadState m_state = DownloadState::Waiting;
    QString m_sentence;
    std::optional<HubFault> m_fault;
    QElapsedTimer m_clock;
    std::deque<std::pair<qint64, qint64>> m_marks;  ///< ms, bytes that have come
};

}  // namespace lacuna::app
