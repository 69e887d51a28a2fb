#pragma once
/// \file
/// The page of reports: chooses the folder, documents and parts of a report, with a preview;
/// afterwards opens the written files. Also opens earlier reports. Existing files are never
/// replaced without confirmation. GUI thread.

#include <QList>
#include <QTimer>
#include <QWidget>
#include <functional>
#include <memory>

#include "app/state/files/work_thread.h"
#include "app/state/report/report_controller.h"

class QCheckBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QTextBrowser;
class QTextDocument;

namespace lacuna::ui {

class ExportPage final : public QWidget {
    Q_OBJECT

  public:
    using Chosen = std::function<void(const QString& folder)>;
    using Drawn = std::function<void(const QVector<app::ChartImage>& images)>;
    struct Ports {
        /// Asks for a folder to write into.
        std::function<void(Chosen chosen)> chooseFolder;
        /// Writes the report.
        std::function<void(const QString& folder, const app::ReportParts& parts)> write;
        /// Delivers the pictures of the report once they are drawn.
        std::function<void(Drawn drawn)> pictures;
        /// Opens a report.json in the window.
        std::function<void(const QString& path)> openReport;
        /// Asks for a report to open in the window.
        std::function<void()> chooseReport;
    };
    ExportPage(app::ReportController& report, Ports ports, QWidget* parent);

    ~ExportPage() override;

    /// Proposes `folder` and draws the preview.
    void propose(const QString& folder);
    [[nodiscard]] app::ReportParts parts() const;
    [[nodiscard]] QString folder() const;
    /// Sentence that states why nothing can be written; empty if writing is possible.
    [[nodiscard]] QString disabledReason() const;

  private:
    struct Part {
        QCheckBox* box = nullptr;
        ReportSection section = ReportSection::Pictures;
    };
    QWidget* buildChoices();
    QCheckBox* addDocument(const QString& text, const QString& tip, QWidget* column);
    void changed();
    void askPreview();
    void layPreview(const QString& html);
    void showPreview(std::unique_ptr<QTextDocument> page);
    void write();
    void written(const QString& folder, const QStringList& files);

    app::ReportController& m_report;
    const Ports m_ports;
    QLineEdit* m_folder;
    QLabel* m_state;
    QCheckBox* m_replace;
    QCheckBox* m_json = nullptr;
    QCheckBox* m_pdf = nullptr;
    QCheckBox* m_html = nullptr;
    QCheckBox* m_markdown = nullptr;
    QCheckBox* m_tables = nullptr;
    QCheckBox* m_pictures = nullptr;
    QList<Part> m_parts;
    QTextBrowser* m_preview;
    QPushButton* m_write;
    QPushButton* m_openFolder;
    QPushButton* m_openReport;
    QVector<app::ChartImage> m_images;
    QTimer m_rest;      ///< delay between the last change and the preview
    QString m_written;  ///< folder of the most recent report
    bool m_waits = false;
    qint64 m_pages = 0;                     ///< preview layouts started so far
    app::WorkThread m_printer;              ///< lays out the preview page
    std::unique_ptr<QTextDocument> m_page;  ///< destroyed before the thread whose fonts it uses
};

}  // namespace lacuna::ui
