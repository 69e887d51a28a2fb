#include "app/hub/download.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>
#include <QStorageInfo>
#include <algorithm>
#include <utility>

#include "app/state/engine/engine_text.h"
#include "app/state/number_format.h"
#include "engine/base/file.h"
#include "engine/format/gguf_header.h"

namespace lacuna::app {

namespace {

constexpr qint64 kSlice = qint64{8} << 20;  // bytes hashed per event-loop turn
constexpr qint64 kKindBytes = 64;
constexpr qint64 kSpeedWindowMs = 5000;
constexpr qint64 kPublishMs = 200;

bool isGguf(const QString& name) {
    return name.endsWith(QLatin1String(".gguf"), Qt::CaseInsensitive);
}

std::span<const std::byte> bytesOf(const QByteArray& bytes) {
    return std::as_bytes(std::span(bytes.constData(), static_cast<std::size_t>(bytes.size())));
}

/// Returns the quoted entity tag; empty if it is weak or malformed.
QString strongTag(const QByteArray& field) {
    const QString tag = QString::fromLatin1(field.trimmed());
    return tag.startsWith(QLatin1Char('"')) && tag.endsWith(QLatin1Char('"')) && tag.size() > 2
               ? tag
               : QString();
}

struct ContentRange {
    qint64 first = -1, last = -1, total = -1;
};

ContentRange rangeOf(const QByteArray& field) {
    static const QRegularExpression range(
        QStringLiteral("\\A\\s*bytes\\s+(?:(\\d{1,18})-(\\d{1,18})|\\*)/(\\d{1,18}|\\*)\\s*\\z"));
    const auto match = range.match(QString::fromLatin1(field));
    if (!match.hasMatch()) return {};
    const auto number = [&](int index) {
        bool good = false;
        const qint64 value = match.captured(index).toLongLong(&good);
        return good ? value : -1;
    };
    return {number(1), number(2), number(3)};
}

qint64 roomOf(const QString& folder) {
    const QStorageInfo disk(folder);
    return disk.isValid() ? disk.bytesAvailable() : -1;
}

FetchRules rulesOf(const DownloadRequest& request, const DownloadDependencies& dependencies) {
    return {request.plainHttp ? PlainHttp::Anywhere : PlainHttp::ThisMachineOnly,
            dependencies.token, request.hub, dependencies.timeoutMs};
}

}  // namespace

Download::Download(DownloadRequest request, DownloadDependencies dependencies, QObject* parent)
    : QObject(parent),
      m_request(std::move(request)),
      m_dependencies(std::move(dependencies)),
      m_fetch(rulesOf(m_request, m_dependencies)),
      m_hash(QCryptographicHash::Sha256) {
    m_fetch.setParent(this);
    m_again.setParent(this);
    m_again.setSingleShot(true);
    connect(&m_again, &QTimer::timeout, this, &Download::ask);
    connect(&m_fetch, &HubFetch::head, this, &Download::onHead);
    connect(&m_fetch, &HubFetch::bytes, this, &Download::onBytes);
    connect(&m_fetch, &HubFetch::ended, this, &Download::onEnded);
}

Download::~Download() {
    if (m_state == DownloadState::Running || m_state == DownloadState::Checking) pause();
}

DownloadView Download::view() const {
    DownloadView view;
    view.title = m_request.title;
    view.path = m_request.result();
    view.state = m_state;
    view.total = m_request.bytes();
    view.files = static_cast<int>(m_request.items.size());
    view.file = static_cast<int>(std::min<qsizetype>(m_at + 1, m_request.items.size()));
    view.sentence = m_sentence;
    view.fault = m_fault;
    for (qsizetype i = 0; i < m_request.items.size(); ++i) {
        const HubItem& one = m_request.items[i];
        qint64 here = 0;
        if (m_state == DownloadState::Done || one.whole)
            here = one.size;
        else if (i < static_cast<qsizetype>(m_parts.size()) && m_parts[static_cast<size_t>(i)])
            here = m_parts[static_cast<size_t>(i)]->size();
        else
            here = QFileInfo(PartFile::pathFor(m_request.targetOf(one))).size();
        view.done = addSizes(view.done, std::max<qint64>(here, 0));
    }
    if (m_state == DownloadState::Running && m_marks.size() > 1) {
        const auto [from, bytes] = m_marks.front();
        const double seconds = static_cast<double>(m_marks.back().first - from) / 1000;
        if (seconds > 0)
            view.bytesPerSecond = static_cast<double>(m_marks.back().second - bytes) / seconds;
        if (view.total >= 0 && view.bytesPerSecond > 0)
            view.secondsLeft = static_cast<double>(view.total - view.done) / view.bytesPerSecond;
    }
    return view;
}

void Download::start() {
    if (m_state == DownloadState::Running || m_state == DownloadState::Checking ||
        m_state == DownloadState::Done)
        return;
    m_at = 0;
    m_retries = 0;
    m_furthest = 0;
    m_sentence.clear();
    m_fault.reset();
    m_parts.clear();
    m_marks.clear();
    m_clock.start();
    m_state = DownloadState::Running;
    if (const auto problem = prepare()) return fail(*problem);
    restoreProgress();
    openItem();
}

/// Restores the progress recorded in the sidecar if it describes the same files.
void Download::restoreProgress() {
    const auto kept = loadRequest(m_request.sidecar());
    m_known = kept && kept->items.size() == m_request.items.size();
    for (qsizetype i = 0; m_known && i < m_request.items.size(); ++i) {
        const HubItem& before = kept->items[i];
        const HubItem& now = m_request.items[i];
        m_known = before.url == now.url && before.name == now.name && before.sha256 == now.sha256 &&
                  (now.size < 0 || before.size < 0 || before.size == now.size);
    }
    if (m_known) {
        m_request.items = kept->items;
        return;
    }
    for (HubItem& one : m_request.items) {
        one.etag.clear();
        one.synced = 0;
        one.whole = false;
    }
}

/// Checks the addresses and the target before any request is sent.
std::optional<HubProblem> Download::prepare() {
    const auto plain = m_request.plainHttp ? PlainHttp::Anywhere : PlainHttp::ThisMachineOnly;
    for (const HubItem& one : m_request.items)
        if (const QString reason = fetchBlocker(one.url, plain); !reason.isEmpty())
            return HubProblem{HubFault::Address, reason};
    if (!QDir().mkpath(m_request.workFolder()))
        return HubProblem{HubFault::Write,
                          tr("The folder %1 cannot be created.").arg(m_request.workFolder())};
    const QString result = m_request.result();
    const auto kept = loadRequest(m_request.sidecar());
    const bool placed = kept && m_request.subfolder.isEmpty() && kept->items.front().whole;
    if (QFileInfo::exists(result) && !placed)
        return HubProblem{
            HubFault::There,
            tr("%1 already exists and is not overwritten: remove it, or choose another folder.")
                .arg(result)};
    return std::nullopt;
}

std::optional<HubProblem> Download::diskSpaceProblem() const {
    const qint64 total = m_request.bytes();
    const qint64 room =
        m_dependencies.room ? m_dependencies.room(m_request.folder) : roomOf(m_request.folder);
    if (total < 0 || room < 0) return std::nullopt;
    const qint64 needed = total - view().done;
    if (needed <= 0 || needed <= room - m_dependencies.minFreeBytes) return std::nullopt;
    return HubProblem{HubFault::Space,
                      tr("%1 are missing, but the disk of %2 has only %3 free. The downloaded part "
                         "is kept: free some space, then resume.")
                          .arg(bytesText(needed), m_request.folder,
                               bytesText(std::max<qint64>(room - m_dependencies.minFreeBytes, 0)))};
}

/// Opens the item at m_at and requests its missing bytes.
void Download::openItem() {
    if (m_at == m_request.items.size()) return finish();
    const QString target = m_request.targetOf(item());
    m_restarted = false;
    m_kindKnown = false;
    m_retries = 0;
    m_furthest = 0;
    if (item().whole && QFileInfo(target).isFile() && QFileInfo(target).size() == item().size) {
        m_parts.emplace_back();  // The file was already renamed before an interruption.
        return passItem();
    }
    const auto there = [&] {
        return HubProblem{
            HubFault::There,
            tr("%1 already exists and is not overwritten: remove it, or choose another folder.")
                .arg(target)};
    };
    if (QFileInfo::exists(target)) return fail(there());
    auto opened = PartFile::open(target);
    if (!opened) return fail(opened.error());
    m_parts.emplace_back(std::move(*opened));
    if (QFileInfo::exists(target)) {  // Another download completed since the check above.
        if (part().size() == 0) part().discard();
        return fail(there());
    }
    if (item().whole && part().size() == item().size) return passItem();
    item().whole = false;
    const bool checkedAtEnd = !item().sha256.isEmpty();
    qint64 usable = checkedAtEnd ? part().size() : std::min(part().size(), item().synced);
    if (item().size >= 0 && usable > item().size) usable = 0;
    if (!m_known || (!checkedAtEnd && item().etag.isEmpty())) usable = 0;
    if (usable < part().size()) {
        if (usable == 0 && m_known)
            m_sentence =
                tr("The partial download cannot be resumed safely because the server sent no ETag: "
                   "it starts over.");
        if (const auto cut = part().cutTo(usable); !cut) return fail(cut.error());
    }
    if (const QString problem = saveRequest(m_request); !problem.isEmpty())
        return fail({HubFault::Write, engineText(problem)});
    if (const auto problem = diskSpaceProblem()) return fail(*problem);
    m_furthest = part().size();
    m_hash.reset();
    m_hashed = 0;
    m_state = DownloadState::Checking;
    Q_EMIT changed();
    readBack();
}

void Download::passItem() {
    ++m_at;
    openItem();
}

/// Hashes one slice of the existing bytes per event-loop turn.
void Download::readBack() {
    if (m_state != DownloadState::Checking) return;
    if (m_hashed == part().size()) {
        m_state = DownloadState::Running;
        if (item().size >= 0 && part().size() == item().size) return checkItem();
        return ask();
    }
    const auto bytes = part().read(m_hashed, std::min(kSlice, part().size() - m_hashed));
    if (!bytes) return fail(bytes.error());
    if (bytes->isEmpty())
        return fail({HubFault::Write, tr("The partial file has become shorter.")});
    m_hash.addData(*bytes);
    m_hashed += bytes->size();
    QTimer::singleShot(0, this, &Download::readBack);
}

void Download::ask() {
    HubFetch::Fields fields;
    if (part().size() > 0) {
        fields << std::pair(QByteArray("Range"),
                            "bytes=" + QByteArray::number(part().size()) + "-");
        if (!item().etag.isEmpty())
            fields << std::pair(QByteArray("If-Range"), item().etag.toLatin1());
    }
    m_fetch.get(item().url, fields);
}

void Download::startOver(const QString& reason) {
    m_fetch.stop();
    if (std::exchange(m_restarted, true))
        return fail(
            {HubFault::Size, tr("%1 repeatedly sends responses that do not match the request.")
                                 .arg(item().url.host())});
    m_sentence = reason;
    if (const auto cut = part().cutTo(0); !cut) return fail(cut.error());
    m_hash.reset();
    m_hashed = 0;
    m_kindKnown = false;
    item().etag.clear();
    item().synced = 0;
    ask();
}

void Download::onHead() {
    const int status = m_fetch.status();
    std::optional<HubProblem> problem;
    if (status == 200) {
        problem = writeFullBody();
    } else if (status == 206 && part().size() > 0) {
        problem = writeRemainder();
    } else if (status == 416 && part().size() > 0) {
        const ContentRange range = rangeOf(m_fetch.field("Content-Range"));
        if (range.total >= 0 && range.total == part().size() &&
            (item().size < 0 || item().size == range.total)) {
            m_fetch.stop();
            item().learned = item().learned || item().size < 0;
            item().size = range.total;
            return checkItem();
        }
        return startOver(tr("The file on the server has changed; the download starts over."));
    } else {
        problem = statusProblem(m_fetch);
    }
    if (problem) return fail(*problem);
}

/// Handles a 200 response, which sends the file from its start.
std::optional<HubProblem> Download::writeFullBody() {
    if (part().size() > 0) {
        if (m_sentence.isEmpty())
            m_sentence = tr("The server cannot resume the download; it starts over.");
        if (const auto cut = part().cutTo(0); !cut) return cut.error();
        m_hash.reset();
        m_hashed = 0;
        m_kindKnown = false;
    }
    const QByteArray type = m_fetch.field("Content-Type").toLower();
    if (type.startsWith("text/html") && !item().name.endsWith(QLatin1String(".html")))
        return HubProblem{
            HubFault::NotAModel,
            tr("%1 sent a web page instead of %2. Does this network require a login first?")
                .arg(m_fetch.url().host(), item().name)};
    const qint64 length = m_fetch.length();
    if (item().size < 0 || item().learned) {
        if (length < 0)
            return HubProblem{HubFault::Size, tr("%1 does not report the length of %2, so the "
                                                 "download could not be checked for completeness.")
                                                  .arg(m_fetch.url().host(), item().name)};
        item().size = length;
        item().learned = true;
        if (auto problem = diskSpaceProblem()) return problem;
    } else if (length >= 0 && length != item().size) {
        return HubProblem{HubFault::Size,
                          tr("%1 reports %2 bytes, but %3 were announced.")
                              .arg(item().name, countText(length), countText(item().size))};
    }
    item().etag = strongTag(m_fetch.field("ETag"));
    item().synced = 0;
    if (const QString kept = saveRequest(m_request); !kept.isEmpty())
        return HubProblem{HubFault::Write, engineText(kept)};
    return std::nullopt;
}

/// Handles a 206 response; begins again if it is not the rest of the same file.
std::optional<HubProblem> Download::writeRemainder() {
    const ContentRange range = rangeOf(m_fetch.field("Content-Range"));
    const QString tag = strongTag(m_fetch.field("ETag"));
    const bool here = range.first == part().size() && range.total > range.first &&
                      (item().size < 0 || range.total == item().size);
    const bool same = tag.isEmpty() || item().etag.isEmpty() || tag == item().etag;
    if (here && same) {
        item().learned = item().learned || item().size < 0;
        item().size = range.total;
        return std::nullopt;
    }
    startOver(tr("The server sent another part than requested; the download starts over."));
    return std::nullopt;
}

void Download::onBytes() {
    if (m_state != DownloadState::Running || m_fetch.status() / 100 != 2) return;
    const QByteArray bytes = m_fetch.take();
    if (bytes.isEmpty()) return;
    if (const auto problem = take(bytes)) return fail(*problem);
    noteProgress();
    measure();
}

/// Resets the retry count only after enough new bytes: a server that restarts resends old bytes,
/// and one that drops each connection after a few bytes would be retried millions of times.
void Download::noteProgress() {
    if (part().size() - m_furthest < m_dependencies.usefulBytes) return;
    m_furthest = part().size();
    m_retries = 0;
}

std::optional<HubProblem> Download::take(const QByteArray& bytes) {
    if (part().size() + bytes.size() > item().size) {
        const qint64 said = item().size;
        if (auto cut = part().cutTo(0); !cut) return cut.error();
        return HubProblem{HubFault::Size,
                          tr("%1 sends more than the %2 bytes announced for %3.")
                              .arg(m_fetch.url().host(), countText(said), item().name)};
    }
    if (const auto written = part().append(bytes); !written) return written.error();
    m_hash.addData(bytes);
    m_hashed += bytes.size();
    m_sinceSync += bytes.size();
    if (!m_kindKnown && part().size() >= std::min(kKindBytes, item().size)) {
        m_kindKnown = true;
        if (auto problem = checkKind()) {
            (void)part().cutTo(0);
            return problem;
        }
    }
    return m_sinceSync >= m_dependencies.syncEvery ? lookAtDisk() : std::nullopt;
}

/// Rejects web pages and archives early, by their first bytes.
std::optional<HubProblem> Download::checkKind() {
    const auto first = part().read(0, kKindBytes);
    if (!first) return first.error();
    const QByteArray words = first->trimmed().toLower();
    if (words.startsWith("<!doctype") || words.startsWith("<html"))
        return HubProblem{
            HubFault::NotAModel,
            tr("%1 sent a web page instead of %2. Does this network require a login first?")
                .arg(m_fetch.url().host(), item().name)};
    if (!isGguf(item().name)) return std::nullopt;
    const auto header = readGgufHeader(bytesOf(*first));
    if (header || header.error().code == ErrorCode::GgufTruncated) return std::nullopt;
    return HubProblem{
        HubFault::NotAModel,
        tr("%1 is not a model: %2.").arg(item().name, engineText(header.error().what))};
}

/// Periodically syncs the received bytes and checks the free space for the rest.
std::optional<HubProblem> Download::lookAtDisk() {
    m_sinceSync = 0;
    if (const auto synced = part().sync(); !synced) return synced.error();
    item().synced = part().size();
    if (const QString kept = saveRequest(m_request); !kept.isEmpty())
        return HubProblem{HubFault::Write, engineText(kept)};
    return diskSpaceProblem();
}

void Download::onEnded(const std::optional<HubProblem>& problem) {
    if (m_state != DownloadState::Running) return;
    if (item().size >= 0 && part().size() == item().size) return checkItem();
    if (problem && problem->fault != HubFault::Reach) return fail(*problem);
    retryOr(
        problem
            ? *problem
            : HubProblem{
                  HubFault::Size,
                  tr("%1 ended the transfer of %2 at %3 of %4 bytes. The downloaded part is kept.")
                      .arg(item().url.host(), item().name, countText(part().size()),
                           countText(item().size))});
}

void Download::retryOr(const HubProblem& problem) {
    if (m_retries >= m_dependencies.retries) return fail(problem);
    m_again.start(m_dependencies.retryDelayMs << std::min(m_retries, 6));
    ++m_retries;
    m_sentence = tr("%1 Retrying.").arg(problem.sentence);
    Q_EMIT changed();
}

/// Verifies a complete file.
void Download::checkItem() {
    m_fetch.stop();
    if (const auto synced = part().sync(); !synced) return fail(synced.error());
    const QString digest = QString::fromLatin1(m_hash.result().toHex());
    if (!item().sha256.isEmpty() && digest != item().sha256) {
        quarantine();
        return fail(
            {HubFault::Hash, tr("%1 has the right length but the wrong content: its SHA-256 is %2 "
                                "instead of %3. It was moved to %4; resume to download it again.")
                                 .arg(item().name, digest, item().sha256, item().name)
                                 .append(QStringLiteral(".bad"))});
    }
    m_unchecked = m_unchecked || item().sha256.isEmpty();
    if (isGguf(item().name)) {
        const auto map = MappedFile::open(QFile::encodeName(part().path()).toStdString());
        const auto header = map ? readGgufHeader(map->bytes())
                                : Result<GgufHeader>(tl::make_unexpected(map.error()));
        if (!header) {
            quarantine();
            return fail(
                {HubFault::NotAModel, tr("%1 is not a model: %2. The file was set aside.")
                                          .arg(item().name, engineText(header.error().what))});
        }
    }
    item().whole = true;
    item().synced = part().size();
    if (const QString kept = saveRequest(m_request); !kept.isEmpty())
        return fail({HubFault::Write, engineText(kept)});
    m_sentence.clear();
    passItem();
}

void Download::quarantine() {
    const QString bad = m_request.targetOf(item()) + QStringLiteral(".bad");
    QFile::remove(bad);
    if (!part().moveTo(bad)) part().discard();
    item().synced = 0;
    item().etag.clear();
}

/// Renames the verified files, the first one last, so that an incomplete set never exists under the
/// name by which it is opened.
void Download::finish() {
    for (qsizetype i = m_request.items.size(); i-- > 0;) {
        auto& one = m_parts[static_cast<size_t>(i)];
        if (!one) continue;
        if (const auto moved = one->moveTo(m_request.targetOf(m_request.items[i])); !moved)
            return fail(moved.error());
    }
    syncFolder(m_request.workFolder());
    if (!m_request.subfolder.isEmpty() &&
        renameFresh(m_request.workFolder(), m_request.result()) != 0)
        return fail({HubFault::There, tr("%1 already exists. The model is in %2.")
                                          .arg(m_request.result(), m_request.workFolder())});
    QFile::remove(m_request.sidecar());
    syncFolder(m_request.folder);
    m_sentence = m_unchecked ? tr("Complete. No digest of the full file was available, so its "
                                  "content was not verified.")
                             : tr("Complete, and its SHA-256 is correct.");
    halt(DownloadState::Done);
}

void Download::pause() {
    if (m_state != DownloadState::Running && m_state != DownloadState::Checking) return;
    if (m_at < static_cast<qsizetype>(m_parts.size()) && m_parts.back() && part().sync())
        item().synced = part().size();
    if (!m_parts.empty()) (void)saveRequest(m_request);
    m_sentence.clear();
    halt(DownloadState::Waiting);
}

void Download::fail(const HubProblem& problem) {
    if (m_at < static_cast<qsizetype>(m_parts.size()) && m_parts.back()) {
        if (part().sync()) item().synced = part().size();
        (void)saveRequest(m_request);
    }
    m_sentence = problem.sentence;
    m_fault = problem.fault;
    halt(DownloadState::Failed);
}

void Download::halt(DownloadState state) {
    m_fetch.stop();
    m_again.stop();
    m_state = state;
    m_parts.clear();  // Also releases the file locks.
    Q_EMIT changed();
    Q_EMIT stopped();
}

void Download::discard() {
    if (m_state == DownloadState::Running || m_state == DownloadState::Checking) return;
    // A file that another process is writing must not be removed.
    if (!QFileInfo::exists(m_request.workFolder())) return;
    for (const HubItem& one : m_request.items) {
        if (!QFileInfo::exists(PartFile::pathFor(m_request.targetOf(one)))) continue;
        auto part = PartFile::open(m_request.targetOf(one));
        if (!part) return;
        part->discard();
    }
    // The separate work folder also contains files that already have their final name.
    if (!m_request.subfolder.isEmpty())
        for (const HubItem& one : m_request.items) QFile::remove(m_request.targetOf(one));
    QFile::remove(m_request.sidecar());
    if (!m_request.subfolder.isEmpty()) QDir().rmdir(m_request.workFolder());
}

void Download::measure() {
    const qint64 now = m_clock.elapsed();
    if (!m_marks.empty() && now - m_marks.back().first < kPublishMs) return;
    m_marks.emplace_back(now, view().done);
    while (m_marks.size() > 2 && now - m_marks.front().first > kSpeedWindowMs) m_marks.pop_front();
    Q_EMIT changed();
}

}  // namespace lacuna::app
