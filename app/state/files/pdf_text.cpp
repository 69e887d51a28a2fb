#include "app/state/files/pdf_text.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "app/state/files/pdf_extraction.h"
#include "app/state/files/text_files.h"
#include "app/state/number_format.h"

namespace lacuna::app {

namespace {

constexpr int kPollMs = 20;
/// Environment variable set for the child, so that a program without the hidden command does not
/// call itself recursively.
constexpr const char* kChildMark = "LACUNA_PDF_CHILD";

/// Owns a file descriptor.
class Descriptor {
  public:
    explicit Descriptor(int number = -1) : m_number(number) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() { close(); }
    void close() {
        if (m_number >= 0) ::close(m_number);
        m_number = -1;
    }
    [[nodiscard]] int number() const { return m_number; }

  private:
    int m_number;
};

/// Returns the path of this program; for a test executable, that of the program in its folder.
QByteArray ownProgram() {
    const QFileInfo self(QFile::symLinkTarget(QStringLiteral("/proc/self/exe")));
    const QFileInfo beside(self.dir().filePath(QStringLiteral("lacuna")));
    if (self.fileName() == beside.fileName() || !beside.isExecutable()) return "/proc/self/exe";
    return QFile::encodeName(beside.filePath());
}

struct Child {
    pid_t pid = 0;
    int error = 0;  ///< errno of a failed start
};

Child startChild(const QByteArray& program, qsizetype mostLetters, int input, int output) {
    const std::string most = std::to_string(mostLetters);
    std::array<const char*, 4> arguments{program.constData(), kPdfCommand, most.c_str(), nullptr};
    const std::string mark = std::string(kChildMark) + "=1";
    std::vector<const char*> environment;
    for (char** one = environ; *one != nullptr; ++one) environment.push_back(*one);
    environment.push_back(mark.c_str());
    environment.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    sigset_t none, standard;
    sigemptyset(&none);
    sigemptyset(&standard);
    for (const int signal : {SIGPIPE, SIGXCPU, SIGABRT, SIGINT, SIGTERM})
        sigaddset(&standard, signal);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setsigdefault(&attributes, &standard);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    Child child;
    child.error = ::posix_spawn(&child.pid, program.constData(), &actions, &attributes,
                                const_cast<char* const*>(arguments.data()),
                                const_cast<char* const*>(environment.data()));
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&actions);
    return child;
}

/// How the child ended, with its output.
struct ChildEnd {
    enum class Why { Itself, Cancelled, WallClock, Output } why = Why::Itself;
    int status = 0;  ///< as returned by waitpid
    QByteArray output;
};

ChildEnd waitForChild(pid_t child, int output, const std::function<bool()>& cancelled, int wallMs,
                      qsizetype maxBytes) {
    using Why = ChildEnd::Why;
    ChildEnd end;
    QElapsedTimer clock;
    clock.start();
    std::vector<char> part(65536);
    for (;;) {
        if (cancelled && cancelled()) end.why = Why::Cancelled;
        if (clock.elapsed() > wallMs) end.why = Why::WallClock;
        if (end.output.size() > maxBytes) end.why = Why::Output;
        if (end.why != Why::Itself) break;
        pollfd waiting{output, POLLIN, 0};
        if (::poll(&waiting, 1, kPollMs) <= 0) continue;
        const ssize_t n = ::read(output, part.data(), part.size());
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        end.output.append(part.data(), n);
    }
    // A child that has closed its output is about to exit; in all other cases it is killed.
    if (end.why != Why::Itself) ::kill(child, SIGKILL);
    while (::waitpid(child, &end.status, 0) < 0 && errno == EINTR) {
    }
    return end;
}

PdfText refused(PdfEnd end, const QString& sentence) {
    PdfText read;
    read.end = end;
    read.problem = sentence;
    return read;
}

PdfText notStarted(const QString& name, int error) {
    return refused(PdfEnd::NotStarted,
                   TextFiles::tr("%1 was not read, because the PDF reader cannot be started: %2.")
                       .arg(name, QString::fromLocal8Bit(std::strerror(error))));
}

PdfText textFrom(PdfExtraction&& extraction, const QString& name, qsizetype mostLetters) {
    PdfText read;
    read.pages = extraction.pages;
    read.pictures = extraction.pictures;
    switch (extraction.kind) {
        case PdfKind::Text:
            read.text = std::move(extraction.text);
            break;
        case PdfKind::NoText:
            read.end = PdfEnd::NoText;
            read.problem = TextFiles::tr(
                               "%1 has no text: its pages (%2) are scanned pictures. Run text "
                               "recognition first, for example with ocrmypdf.")
                               .arg(name, countText(read.pages));
            break;
        case PdfKind::Damaged:
            read.end = PdfEnd::Damaged;
            read.problem =
                TextFiles::tr("%1 cannot be read: it is damaged or not a PDF.").arg(name);
            break;
        case PdfKind::Encrypted:
            read.end = PdfEnd::Encrypted;
            read.problem =
                TextFiles::tr("%1 needs a password. Save a copy without a password first.")
                    .arg(name);
            break;
        case PdfKind::TooLong:
            read.end = PdfEnd::TooLong;
            read.problem =
                TextFiles::tr(
                    "%1 has more than %2 characters of text, the most that can be attached.")
                    .arg(name, countText(mostLetters));
            break;
    }
    return read;
}

}  // namespace

PdfText textOfPdf(const QByteArray& bytes, const QString& name, qsizetype mostLetters,
                  const std::function<bool()>& cancelled, const PdfLimits& limits) {
    if (qEnvironmentVariableIsSet(kChildMark)) return notStarted(name, ELOOP);
    // An in-memory file, which the child reads at its own pace without blocking a pipe.
    const Descriptor input(::memfd_create("pdf", MFD_CLOEXEC));
    QFile file;
    if (input.number() < 0 || !file.open(input.number(), QIODevice::WriteOnly) ||
        file.write(bytes) != bytes.size() || !file.flush() || ::lseek(input.number(), 0, SEEK_SET))
        return notStarted(name, errno);
    std::array<int, 2> ends{-1, -1};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return notStarted(name, errno);
    const Descriptor reading(ends[0]);
    Descriptor writing(ends[1]);
    const QByteArray program =
        limits.program.isEmpty() ? ownProgram() : QFile::encodeName(limits.program);
    const Child child = startChild(program, mostLetters, input.number(), writing.number());
    if (child.error != 0) return notStarted(name, child.error);
    writing.close();
    // A UTF-16 code unit takes at most three bytes in UTF-8.
    const ChildEnd end =
        waitForChild(child.pid, reading.number(), cancelled, limits.wallMs, 3 * mostLetters + 1024);
    switch (end.why) {
        case ChildEnd::Why::Cancelled:
            return refused(PdfEnd::Cancelled, TextFiles::tr("Reading %1 was cancelled.").arg(name));
        case ChildEnd::Why::WallClock:
            return refused(PdfEnd::Limit,
                           TextFiles::tr("%1 was not read: it took longer than %2 s.")
                               .arg(name)
                               .arg(limits.wallMs / 1000));
        case ChildEnd::Why::Output:
            return textFrom({.kind = PdfKind::TooLong, .text = {}}, name, mostLetters);
        case ChildEnd::Why::Itself:
            break;
    }
    if (WIFSIGNALED(end.status) && WTERMSIG(end.status) == SIGXCPU)
        return refused(PdfEnd::Limit,
                       TextFiles::tr("%1 was not read: it needs more than %2 s of processor time.")
                           .arg(name)
                           .arg(kPdfSeconds));
    if (WIFEXITED(end.status) && WEXITSTATUS(end.status) == kPdfMemoryStatus)
        return refused(PdfEnd::Limit,
                       TextFiles::tr("%1 was not read: it needs more than %2 of memory.")
                           .arg(name, bytesText(kPdfMemory)));
    if (WIFEXITED(end.status) && WEXITSTATUS(end.status) == 0)
        if (auto extraction = pdfExtractionFrom(end.output))
            return textFrom(std::move(*extraction), name, mostLetters);
    return refused(
        PdfEnd::Crashed,
        TextFiles::tr(
            "%1 was not read: it crashes the PDF reader. The file is damaged or malicious.")
            .arg(name));
}

}  // namespace lacuna::app
