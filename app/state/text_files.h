#pragma once
/// \file
/// Reads files that are to be attached to a question, on a thread of its own. Texts and source code
/// in UTF-8 or UTF-16 and the text of PDFs are taken; of anything else a sentence says why not. GUI
/// thread.

#include <QObject>
#include <QString>
#include <QStringList>
#include <atomic>
#include <functional>

#include "app/state/work_thread.h"

namespace lacuna::app {

class TextFiles final : public QObject {
    Q_OBJECT

  public:
    static constexpr qint64 kMaxBytes = qint64{32} << 20;  ///< of one file

    explicit TextFiles(QObject* parent = nullptr);
    ~TextFiles() override;
    /// `arrived` or `refused` answers for each of them, in their order.
    void read(const QStringList& paths);

  Q_SIGNALS:
    void arrived(const QString& name, const QString& text);
    void refused(const QString& sentence);
    /// Of one that arrived: what of it is missing.
    void noted(const QString& sentence);

  private:
    std::atomic<bool> m_ending = false;
    WorkThread m_thread;
};

/// The text of a file, or why it cannot be attached, as a sentence. Reads the whole file.
struct TextFile {
    QString text;
    QString problem;
    QString note;  ///< what of it is missing, a sentence; empty: nothing
};
[[nodiscard]] TextFile readTextFile(const QString& path,
                                    const std::function<bool()>& cancelled = {});

}  // namespace lacuna::app
