#pragma once
/// \file
/// Preparation section of the models page: draft model, calibrations, conversion to another format,
/// and saving and loading the conversation's cache. Long work runs as a job (model_jobs.h) with
/// progress and a stop button. GUI thread.

#include <QString>
#include <QWidget>
#include <array>

#include "app/state/models/model_library.h"

class QComboBox;
class QFormLayout;
class QLabel;
class QProgressBar;
class QPushButton;

namespace lacuna::app {
class ApplicationState;
}

namespace lacuna::ui {

class FileDialogs;

class PreparePage final : public QWidget {
    Q_OBJECT

  public:
    PreparePage(app::ApplicationState& state, FileDialogs& files, QWidget* parent);
    /// Path of the model on the page; empty: none.
    void setModel(const QString& path);

    [[nodiscard]] QComboBox& draftBox() { return *m_draft; }
    [[nodiscard]] QPushButton& calibrateButton(app::CalibrationKind kind) {
        return *m_calibrate[static_cast<std::size_t>(kind)];
    }
    [[nodiscard]] QString calibrationText(app::CalibrationKind kind) const;
    [[nodiscard]] QComboBox& typeBox() { return *m_type; }
    [[nodiscard]] QPushButton& writeButton() { return *m_write; }
    [[nodiscard]] QPushButton& loadCacheButton() { return *m_take; }
    [[nodiscard]] QPushButton& stopButton() { return *m_stop; }
    [[nodiscard]] QProgressBar& progress() { return *m_progress; }
    [[nodiscard]] QString jobText() const;
    /// Writes the model in the selected type to `out`; the button does this after its file dialog.
    void writeTo(const QString& out);

  Q_SIGNALS:
    void formatsRequested();
    void qualityRequested();

  private:
    void buildDraft(QFormLayout* form);
    void buildCalibrations(QFormLayout* form);
    void buildWriting(QFormLayout* form);
    void buildCaches(QFormLayout* form);
    void buildMeasuring(QFormLayout* form);
    [[nodiscard]] QWidget* buildJob();
    void chooseDraft(int index);
    void refresh();
    void showDraft(const app::ModelLibraryEntry* row);
    void showCalibrations(const app::ModelLibraryEntry* row);
    void showWriting(const app::ModelLibraryEntry* row);
    void showCaches();
    void showJob();
    [[nodiscard]] const app::ModelLibraryEntry* row() const;
    [[nodiscard]] bool inUse() const;

    app::ApplicationState& m_state;
    FileDialogs& m_files;
    QString m_model;
    QString m_moved;  ///< result of saving or loading a cache
    bool m_moveFailed = false;
    QLabel* m_title = nullptr;
    QComboBox* m_draft = nullptr;
    QLabel* m_draftNote = nullptr;
    std::array<QLabel*, app::kCalibrationKinds> m_states{};
    std::array<QPushButton*, app::kCalibrationKinds> m_calibrate{};
    QComboBox* m_type = nullptr;
    QPushButton* m_write = nullptr;
    QLabel* m_writeNote = nullptr;
    QPushButton* m_save = nullptr;
    QPushButton* m_take = nullptr;
    QLabel* m_cacheNote = nullptr;
    QPushButton* m_formats = nullptr;
    QPushButton* m_quality = nullptr;
    QLabel* m_job = nullptr;
    QProgressBar* m_progress = nullptr;
    QPushButton* m_stop = nullptr;
    QPushButton* m_again = nullptr;
};

}  // namespace lacuna::ui
