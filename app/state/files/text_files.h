#pragma once
/// \file
/// Reads files to be attached to a message on a separate thread. Accepts text and source code in
/// UTF-8 or UTF-16 and the text of PDFs; other files are refused with a reason. GUI thread.

#include <QObject>
#include <QString>
#include <QStringList>
#include <atomic>
#include <functional>

#include "app/state/files/work_thread.h"

namespace lacuna::app {

class TextFiles final : public QObject {
    Q_OBJECT

  public:
    static constexpr qint64 kMaxBytes = qint64{32} << 20;  ///< maximum file size

    explicit TextFiles(QObject* parent = nullptr);
    ~TextFiles() override;
    /// Emits `arrived` or `refused` for each file, in order.
    void read(const QStringList& paths);

  Q_SIGNALS:
    void arrived(const QString& name, const QString& text);
    void refused(const QString& sentence);
    /// Emitted for a file that arrived incompletely; describes what is missing.
    void noted(const QString& sentence);

  private:
    std::atomic<bool> m_ending = false;
    WorkThread m_thread;
};

/// The text of a file, or the reason why it cannot be attached. Reads the complete file.
struct TextFile {
    QString text;
    QString problem;
    QString note;  ///< what is missing; empty if the text is complete
};
[[nodiscard]] TextFile readTextFile(const QString& path,
                                    const std::function<bool()>& cancelled = {});

}  // namespace lacuna::app
