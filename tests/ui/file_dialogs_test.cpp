// Start folders of file dialogs: each kind of file has its own.

#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QLineEdit>
#include <QSettings>
#include <QTemporaryDir>

#include "tests/ui/window_stage.h"
#include "ui/panels/telemetry_panel.h"
#include "ui/window/window_dialogs.h"

namespace lacuna::ui {
namespace {

class FileDialogsTest : public WindowStage {
  protected:
    FileDialogsTest() {
        QDir(folder.path()).mkpath(QStringLiteral("models"));
        QDir(folder.path()).mkpath(QStringLiteral("tables"));
        QFile model(inside("models/one.gguf"));
        EXPECT_TRUE(model.open(QIODevice::WriteOnly));
    }
    [[nodiscard]] QString inside(const char* path) const {
        return folder.filePath(QString::fromUtf8(path));
    }
    [[nodiscard]] QFileDialog* open() const {
        QCoreApplication::processEvents();
        for (QFileDialog* dialog : window->findChildren<QFileDialog*>())
            if (dialog->isVisible()) return dialog;
        return nullptr;
    }
    /// Returns the start folder of the open dialog and closes it.
    [[nodiscard]] QString begins() {
        QFileDialog* dialog = open();
        EXPECT_NE(dialog, nullptr);
        if (dialog == nullptr) return {};
        const QString path = dialog->directory().absolutePath();
        dialog->reject();
        return path;
    }
    void choose(const QString& path) {
        QFileDialog* dialog = open();
        ASSERT_NE(dialog, nullptr);
        // Set as if typed: a selection does not reach a line edit that has the focus.
        auto* typed = dialog->findChild<QLineEdit*>(QStringLiteral("fileNameEdit"));
        ASSERT_NE(typed, nullptr);
        typed->setText(path);
        QMetaObject::invokeMethod(dialog, "accept");
        QCoreApplication::processEvents();
    }

    QTemporaryDir folder;
};

TEST_F(FileDialogsTest, everyDialog_opensAtItsLastFolder) {
    trigger("model.load");
    choose(inside("models/one.gguf"));
    ASSERT_FALSE(engine->sent<LoadModel>().empty());
    EXPECT_EQ(engine->sent<LoadModel>().back().path, inside("models/one.gguf").toStdString());
    auto* telemetry = &window->telemetry();
    Q_EMIT telemetry->csvRequested();
    choose(inside("tables/figures.csv"));
    EXPECT_TRUE(QFileInfo::exists(inside("tables/figures.csv")));
    trigger("model.load");
    EXPECT_EQ(begins(), inside("models"));
    trigger("model.loadFolder");
    EXPECT_EQ(begins(), inside("models")) << "models are kept together";
    Q_EMIT telemetry->csvRequested();
    EXPECT_EQ(begins(), inside("tables"));
    Q_EMIT telemetry->pngRequested();
    EXPECT_NE(begins(), inside("tables")) << "no picture was saved yet";
}

TEST_F(FileDialogsTest, newFolder_isAcceptedAsProposed_existingOneIsOpened) {
    QString taken;
    FileDialogs dialogs;
    const FileQuestion question{.kind = FileKind::Report,
                                .want = FileQuestion::Want::NewFolder,
                                .title = QStringLiteral("Export"),
                                .name = inside("report-1")};
    const auto keep = [&taken](const QString& path) { taken = path; };
    dialogs.ask(window.get(), question, keep);
    QFileDialog* dialog = open();
    ASSERT_NE(dialog, nullptr);
    QMetaObject::invokeMethod(dialog, "accept");
    QCoreApplication::processEvents();
    EXPECT_EQ(taken, inside("report-1"));
    taken.clear();
    dialogs.ask(window.get(), question, keep);
    choose(inside("models"));
    EXPECT_TRUE(taken.isEmpty());
    dialog = open();
    ASSERT_NE(dialog, nullptr) << "it goes on inside that folder";
    EXPECT_EQ(dialog->directory().absolutePath(), inside("models"));
    dialog->reject();
}

TEST_F(FileDialogsTest, lastFolders_areStoredInTheSettings) {
    QSettings settings(inside("window.ini"), QSettings::IniFormat);
    trigger("model.load");
    choose(inside("models/one.gguf"));
    window->saveLayout(settings);
    window.reset();
    window = std::make_unique<MainWindow>(*state, *themes);
    window->restoreLayout(settings);
    trigger("model.load");
    EXPECT_EQ(begins(), inside("models"));
}

TEST_F(FileDialogsTest, deletedFolder_isNotOffered) {
    QSettings settings(inside("window.ini"), QSettings::IniFormat);
    settings.setValue(QStringLiteral("folders/model"), inside("nowhere"));
    window->restoreLayout(settings);
    trigger("model.load");
    const QString path = begins();
    EXPECT_TRUE(QFileInfo(path).isDir()) << path.toStdString();
    EXPECT_NE(path, inside("nowhere"));
}

TEST_F(FileDialogsTest, closedDialog_changesNothing) {
    trigger("model.load");
    choose(inside("models/one.gguf"));
    trigger("model.load");
    QFileDialog* dialog = open();
    ASSERT_NE(dialog, nullptr);
    dialog->setDirectory(inside("tables"));
    dialog->reject();
    trigger("model.load");
    EXPECT_EQ(begins(), inside("models"));
}

}  // namespace
}  // namespace lacuna::ui
