#pragma once
/// \file
/// Where the report goes and what is in it: folder, documents, parts, a preview of the page, and
/// afterwards its files one press away. Nothing that is there is replaced unasked. GUI thread.

#include <QDialog>
#include <QList>
#include <QTimer>
#include <functional>
#include <memory>

#include "app/state/report_controller.h"
#include "app/state/work_thread.h"

class QCheckBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QTextBrowser;
class QTextDocument;

namespace lacuna::ui {

class ExportDialog final : public QDialog {
    Q_OBJECT

  public:
    using Chosen = std::function<void(const QString& folder)>;
    using Drawn = std::function<void(const QVector<app::ChartImage>& images)>;
    struct Ports {
        /// Asks for a folder to write into.
        std::function<void(Chosen chosen)> chooseFolder;
        /// Writes the report.
        std::function<void(const QString& folder, const app::ReportParts& parts)> write;
        /// Pictures as the report will have them; they come when they are drawn.
        std::function<void(Drawn drawn)> pictures;
        /// Opens a report.json in the window.
        std::function<void(const QString& path)> openReport;
    };
    ExportDialog(app::ReportController& report, Ports ports, QWidget* parent);

    ~ExportDialog() override;

    /// Proposes `folder`, and shows itself.
    void open(const QString& folder);
    [[nodiscard]] app::ReportParts parts() const;
    [[nodiscard]] QString folder() const;
    /// Why nothing can be written now, a sentence; empty: it can.
    [[nodiscard]] QString whyNot() const;

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
    QTimer m_rest;      ///< from the last choice to the preview
    QString m_written;  ///< folder of the report written last
    bool m_waits = false;
    qint64 m_pages = 0;                     ///< laid out, or about to be
    app::WorkThread m_printer;              ///< lays the page of the preview out
    std::unique_ptr<QTextDocument> m_page;  ///< after the thread whose fonts it uses
};

}  // namespace lacuna::ui
