#pragma once
/// \file
/// Downloads section of the models page: the files of a hub repository, which of them to fetch and
/// where to, and the progress of each download with pause, resume and removal. GUI thread.

#include <QWidget>

class QCheckBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QTableWidget;

namespace lacuna::app {
class HubController;
class ModelLibrary;
struct HubRow;
}  // namespace lacuna::app

namespace lacuna::ui {

class FileDialogs;

class DownloadPage final : public QWidget {
    Q_OBJECT

  public:
    DownloadPage(app::HubController& hub, app::ModelLibrary& library, FileDialogs& files,
                 QWidget* parent);

    [[nodiscard]] QLineEdit& nameField() { return *m_name; }
    [[nodiscard]] QLineEdit& hubField() { return *m_hubField; }
    [[nodiscard]] QPushButton& lookUpButton() { return *m_lookUp; }
    [[nodiscard]] QPushButton& fetchButton() { return *m_fetch; }
    [[nodiscard]] QPushButton& pauseButton() { return *m_pause; }
    [[nodiscard]] QPushButton& resumeButton() { return *m_resume; }
    [[nodiscard]] QPushButton& removeButton() { return *m_remove; }
    [[nodiscard]] QTableWidget& offers() { return *m_offers; }
    [[nodiscard]] QTableWidget& downloads() { return *m_rows; }
    [[nodiscard]] QString sentence() const;

  private:
    [[nodiscard]] QWidget* buildQuestion();
    [[nodiscard]] QWidget* buildOffers();
    [[nodiscard]] QWidget* buildDownloads();
    void ask();
    void fetch();
    void confirmRemoving();
    void chooseFolder();
    void refresh();
    void showOffers();
    void showRows();
    void showButtons();
    [[nodiscard]] int rowId() const;
    void showMessage(const QString& sentence, bool problem);

    app::HubController& m_hub;
    app::ModelLibrary& m_library;
    FileDialogs& m_files;
    QString m_message;
    QLineEdit* m_name = nullptr;
    QPushButton* m_lookUp = nullptr;
    QLineEdit* m_hubField = nullptr;
    QLineEdit* m_folder = nullptr;
    QLineEdit* m_token = nullptr;
    QCheckBox* m_plain = nullptr;
    QTableWidget* m_offers = nullptr;
    QLineEdit* m_digest = nullptr;
    QPushButton* m_fetch = nullptr;
    QLabel* m_sentence = nullptr;
    QTableWidget* m_rows = nullptr;
    QLabel* m_detail = nullptr;
    QPushButton* m_pause = nullptr;
    QPushButton* m_resume = nullptr;
    QPushButton* m_remove = nullptr;
};

}  // namespace lacuna::ui
