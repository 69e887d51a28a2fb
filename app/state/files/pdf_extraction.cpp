#include "app/state/files/pdf_extraction.h"

#include <poppler-document.h>
#include <poppler-global.h>
#include <poppler-page.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <QList>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <new>

namespace lacuna::app {

namespace {

constexpr int kNiceness = 5;
constexpr qint64 kMostBytes = qint64{64} << 20;  ///< maximum file size; the parent rejects smaller
                                                 ///< files already
constexpr std::array kKindNames{"text", "no-text", "damaged", "encrypted", "too-long"};
const QByteArray kMark = "lacuna-pdf-1";

/// In-memory file that receives standard error, because Poppler reports memory exhaustion there and
/// then aborts.
int g_complaints = -1;

QString textOfPage(const poppler::page& page) {
    const poppler::byte_array utf8 =
        page.text(poppler::rectf(), poppler::page::non_raw_non_physical_layout).to_utf8();
    QString text = QString::fromUtf8(utf8.data(), static_cast<qsizetype>(utf8.size()));
    return text.remove(QLatin1Char('\f')).remove(QChar(QChar::Null)).trimmed();
}

void setLimit(int resource, rlim_t soft, rlim_t hard) {
    const rlimit limit{soft, hard};
    ::setrlimit(static_cast<__rlimit_resource>(resource), &limit);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
/// Returns the current address space of this process in bytes.
rlim_t addressSpace() {
    std::ifstream file("/proc/self/statm");
    rlim_t pages = 0;
    file >> pages;
    return pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
}
#endif

void outOfMemory() {
    ::_exit(kPdfMemoryStatus);
}

/// Makes only async-signal-safe calls.
void onAbort(int signal) {
    std::array<char, 4096> text{};
    const ssize_t size = ::pread(g_complaints, text.data(), text.size(), 0);
    constexpr char kWords[] = "emory";
    if (size > 0 && ::memmem(text.data(), static_cast<std::size_t>(size), kWords,
                             sizeof(kWords) - 1) != nullptr)
        outOfMemory();
    std::signal(signal, SIG_DFL);
    ::raise(signal);
}

void limitThisProcess() {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    [[maybe_unused]] const int niceness = ::nice(kNiceness);
    setLimit(RLIMIT_CORE, 0, 0);
    setLimit(RLIMIT_FSIZE, kMostBytes, kMostBytes);
    setLimit(RLIMIT_CPU, kPdfSeconds, kPdfSeconds + 2);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    const rlim_t most = addressSpace() + static_cast<rlim_t>(kPdfMemory);
    setLimit(RLIMIT_AS, most, most);
#endif
    std::set_new_handler(outOfMemory);
    g_complaints = ::memfd_create("complaints", MFD_CLOEXEC);
    if (g_complaints >= 0) ::dup2(g_complaints, STDERR_FILENO);
    std::signal(SIGABRT, onAbort);
}

std::optional<QByteArray> readInput() {
    QByteArray bytes;
    std::array<char, 65536> part{};
    for (;;) {
        const ssize_t n = ::read(STDIN_FILENO, part.data(), part.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 || bytes.size() + n > kMostBytes) return std::nullopt;
        if (n == 0) return bytes;
        bytes.append(part.data(), n);
    }
}

bool writeOutput(const QByteArray& bytes) {
    qsizetype done = 0;
    while (done < bytes.size()) {
        const ssize_t n = ::write(STDOUT_FILENO, bytes.constData() + done,
                                  static_cast<std::size_t>(bytes.size() - done));
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        done += n;
    }
    return true;
}

}  // namespace

PdfExtraction extractPdf(const QByteArray& bytes, qsizetype mostLetters) {
    // Suppresses Poppler's messages about damaged objects.
    poppler::set_debug_error_function([](const std::string&, void*) {}, nullptr);
    PdfExtraction read;
    const std::unique_ptr<poppler::document> document(
        poppler::document::load_from_raw_data(bytes.constData(), static_cast<int>(bytes.size())));
    if (document == nullptr) {
        // Poppler cannot open files of other encryption handlers.
        if (bytes.contains("/Encrypt")) read.kind = PdfKind::Encrypted;
        return read;
    }
    if (document->is_locked()) {
        read.kind = PdfKind::Encrypted;
        return read;
    }
    read.pages = document->pages();
    if (read.pages <= 0) return read;
    for (int at = 0; at < read.pages; ++at) {
        const std::unique_ptr<poppler::page> page(document->create_page(at));
        const QString text = page == nullptr ? QString() : textOfPage(*page);
        if (text.isEmpty()) ++read.pictures;
        if (!text.isEmpty() && !read.text.isEmpty()) read.text += QStringLiteral("\n\n");
        read.text += text;
        if (read.text.size() <= mostLetters) continue;
        read.text.clear();
        read.kind = PdfKind::TooLong;
        return read;
    }
    read.kind = read.text.isEmpty() ? PdfKind::NoText : PdfKind::Text;
    return read;
}

QByteArray pdfMessage(const PdfExtraction& extraction) {
    const QByteArray text = extraction.text.toUtf8();
    return kMark + ' ' + kKindNames[static_cast<std::size_t>(extraction.kind)] + ' ' +
           QByteArray::number(extraction.pages) + ' ' + QByteArray::number(extraction.pictures) +
           ' ' + QByteArray::number(text.size()) + '\n' + text;
}

std::optional<PdfExtraction> pdfExtractionFrom(const QByteArray& message) {
    const qsizetype end = message.indexOf('\n');
    const QList<QByteArray> words = message.left(std::max<qsizetype>(end, 0)).split(' ');
    if (words.size() != 5 || words[0] != kMark) return std::nullopt;
    PdfExtraction read;
    bool known = false;
    for (std::size_t i = 0; i < kKindNames.size(); ++i) {
        if (words[1] != kKindNames[i]) continue;
        known = true;
        read.kind = static_cast<PdfKind>(i);
    }
    read.pages = words[2].toInt();
    read.pictures = words[3].toInt();
    if (!known || words[4].toLongLong() != message.size() - end - 1) return std::nullopt;
    read.text = QString::fromUtf8(QByteArrayView(message).sliced(end + 1));
    return read;
}

int runPdfCommand(int argc, char** argv) {
    limitThisProcess();
    const qsizetype most = argc > 2 ? QByteArray(argv[2]).toLongLong() : 0;
    const auto bytes = readInput();
    if (!bytes || most <= 0) return EXIT_FAILURE;
    return writeOutput(pdfMessage(extractPdf(*bytes, most))) ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace lacuna::app
