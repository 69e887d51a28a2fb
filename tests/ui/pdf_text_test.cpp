// Attached PDFs: their text, or an error sentence if they have none.

#include <gtest/gtest.h>

#include <QBuffer>
#include <QElapsedTimer>
#include <QFile>
#include <QImage>
#include <QPainter>
#include <QPdfWriter>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "app/state/files/pdf_extraction.h"
#include "app/state/files/pdf_text.h"
#include "app/state/files/text_files.h"
#include "tests/ui/window_stage.h"
#include "ui/chat/attachment_controller.h"
#include "ui/chat/prompt_box.h"

namespace lacuna::ui {
namespace {

using app::PdfEnd;

constexpr qsizetype kMost = 100'000;

/// A PDF with pages of words; an empty page contains a picture.
QByteArray pdfOf(const QStringList& pages) {
    offscreenApplication();
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QPdfWriter writer(&buffer);
    QPainter painter(&writer);
    for (qsizetype i = 0; i < pages.size(); ++i) {
        if (i > 0) writer.newPage();
        if (pages[i].isEmpty()) {
            QImage scan(40, 40, QImage::Format_RGB32);
            scan.fill(Qt::gray);
            painter.drawImage(QRect(0, 0, 2000, 2000), scan);
        } else {
            painter.drawText(QRect(0, 0, writer.width(), writer.height()),
                             Qt::AlignLeft | Qt::TextWordWrap, pages[i]);
        }
    }
    painter.end();
    return bytes;
}

/// A document with an unknown user password.
QByteArray encryptedPdf() {
    QByteArray pdf = "%PDF-1.4\n";
    QList<qsizetype> places;
    const auto object = [&](const QByteArray& body) {
        places << pdf.size();
        pdf += QByteArray::number(places.size()) + " 0 obj\n" + body + "\nendobj\n";
    };
    object("<< /Type /Catalog /Pages 2 0 R >>");
    object("<< /Type /Pages /Kids [3 0 R] /Count 1 >>");
    object("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] >>");
    object("<< /Filter /Standard /V 1 /R 2 /P -4 /O <" + QByteArray(64, '3') + "> /U <" +
           QByteArray(64, '7') + "> >>");
    const qsizetype table = pdf.size();
    pdf += "xref\n0 5\n0000000000 65535 f \n";
    for (const qsizetype place : places)
        pdf += QByteArray::number(place).rightJustified(10, '0') + " 00000 n \n";
    pdf += "trailer\n<< /Size 5 /Root 1 0 R /Encrypt 4 0 R /ID [<" + QByteArray(32, '1') + "> <" +
           QByteArray(32, '1') + ">] >>\nstartxref\n" + QByteArray::number(table) + "\n%%EOF\n";
    return pdf;
}

TEST(PdfText, textPages_areJoinedInOrder) {
    const app::PdfText read =
        app::textOfPdf(pdfOf({QStringLiteral("The boathouse key hangs behind the clock."),
                              QStringLiteral("K\u00e4se und Brot")}),
                       QStringLiteral("notes.pdf"), kMost);
    ASSERT_TRUE(read.problem.isEmpty()) << read.problem.toStdString();
    EXPECT_EQ(read.pages, 2);
    EXPECT_EQ(read.pictures, 0);
    const QString text = QString(read.text).simplified();
    EXPECT_TRUE(text.contains(QStringLiteral("The boathouse key hangs behind the clock.")))
        << text.toStdString();
    EXPECT_TRUE(text.endsWith(QStringLiteral("K\u00e4se und Brot"))) << text.toStdString();
}

TEST(PdfText, scannedPages_areReportedAsWithoutText) {
    const app::PdfText read = app::textOfPdf(pdfOf({{}, {}}), QStringLiteral("scan.pdf"), kMost);
    EXPECT_TRUE(read.text.isEmpty());
    EXPECT_TRUE(read.problem.contains(QStringLiteral("scan.pdf has no text")))
        << read.problem.toStdString();
    EXPECT_TRUE(read.problem.contains(QStringLiteral("2")));
}

TEST(PdfText, pagesWithoutText_areCounted) {
    const app::PdfText read =
        app::textOfPdf(pdfOf({QStringLiteral("words"), {}}), QStringLiteral("mixed.pdf"), kMost);
    EXPECT_TRUE(read.problem.isEmpty());
    EXPECT_EQ(read.pictures, 1);
}

TEST(PdfText, encryptedFile_isReported) {
    const app::PdfText read = app::textOfPdf(encryptedPdf(), QStringLiteral("secret.pdf"), kMost);
    EXPECT_TRUE(read.problem.contains(QStringLiteral("password"))) << read.problem.toStdString();
}

// Poppler repairs what it can; no input may crash or yield text that is not there.
TEST(PdfText, truncatedOrChangedFile_isReadOrRejected) {
    const QByteArray whole = pdfOf({QStringLiteral("The boathouse key hangs behind the clock.")});
    EXPECT_EQ(app::textOfPdf("%PDF-1.4 nothing", QStringLiteral("x.pdf"), kMost).end,
              PdfEnd::Damaged);
    const auto expectSound = [](const QByteArray& bytes) {
        const app::PdfExtraction read = app::extractPdf(bytes, kMost);
        EXPECT_EQ(read.text.isEmpty(), read.kind != app::PdfKind::Text);
    };
    for (qsizetype at = 5; at < whole.size(); at += 97) {
        expectSound(whole.left(at));
        QByteArray changed = whole;
        changed[at] = static_cast<char>(~changed[at]);
        expectSound(changed);
    }
}

TEST(PdfText, textOverTheLimit_isRejected) {
    const QByteArray whole = pdfOf({QStringLiteral("one page"), QStringLiteral("another")});
    const app::PdfText read = app::textOfPdf(whole, QStringLiteral("big.pdf"), 5);
    EXPECT_EQ(read.end, PdfEnd::TooLong);
    EXPECT_TRUE(read.problem.contains(QStringLiteral("more than 5 characters")));
    EXPECT_TRUE(read.text.isEmpty());
}

// ---------------------------------------------------------------- hostile files

/// A PDF consisting of these objects, numbered from 1; the first one is the catalogue.
QByteArray pdfWith(const QList<QByteArray>& objects) {
    QByteArray pdf = "%PDF-1.4\n", table;
    for (qsizetype i = 0; i < objects.size(); ++i) {
        table += QByteArray::number(pdf.size()).rightJustified(10, '0') + " 00000 n \n";
        pdf += QByteArray::number(i + 1) + " 0 obj\n" + objects[i] + "\nendobj\n";
    }
    const QByteArray count = QByteArray::number(objects.size() + 1);
    return pdf + "xref\n0 " + count + "\n0000000000 65535 f \n" + table + "trailer\n<< /Size " +
           count + " /Root 1 0 R >>\nstartxref\n" + QByteArray::number(pdf.size()) + "\n%%EOF\n";
}

QByteArray streamOf(const QByteArray& content, const QByteArray& dictionary = {}) {
    return "<< /Length " + QByteArray::number(content.size()) + " " + dictionary + " >>\nstream\n" +
           content + "\nendstream";
}

/// One page with a form that draws ten forms, and so on recursively: 10^12 words.
QByteArray nestedForms() {
    constexpr int kLevels = 12;
    QList<QByteArray> objects{
        "<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Contents 5 0 R /Resources << "
        "/Font << /F 4 0 R >> /XObject << /X 6 0 R >> >> >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>", streamOf("/X Do")};
    for (int level = 0; level < kLevels; ++level) {
        const QByteArray next = QByteArray::number(objects.size() + 2);
        const bool last = level + 1 == kLevels;
        QByteArray content;
        for (int i = 0; i < 10; ++i) content += last ? "BT /F 9 Tf (word) Tj ET\n" : "/X Do\n";
        objects << streamOf(content,
                            "/Type /XObject /Subtype /Form /BBox [0 0 200 200] /Resources << /Font "
                            "<< /F 4 0 R >> " +
                                (last ? QByteArray() : "/XObject << /X " + next + " 0 R >>") +
                                " >>");
    }
    return pdfWith(objects);
}

TEST(HostilePdf, endlessComputation_endsAtTheTimeLimit) {
    QElapsedTimer clock;
    clock.start();
    const app::PdfText read =
        app::textOfPdf(nestedForms(), QStringLiteral("x.pdf"), kMost, {}, {.wallMs = 1000});
    EXPECT_EQ(read.end, PdfEnd::Limit) << read.problem.toStdString();
    EXPECT_TRUE(read.problem.contains(QStringLiteral("than 1 s"))) << read.problem.toStdString();
    EXPECT_LT(clock.elapsed(), 10'000);
}

TEST(HostilePdf, endlessComputation_isCancelledImmediately) {
    QElapsedTimer clock;
    clock.start();
    const app::PdfText read = app::textOfPdf(nestedForms(), QStringLiteral("x.pdf"), kMost,
                                             [&clock] { return clock.elapsed() > 300; });
    EXPECT_EQ(read.end, PdfEnd::Cancelled);
    EXPECT_TRUE(read.text.isEmpty());
    EXPECT_LT(clock.elapsed(), 5'000);
}

TEST(HostilePdf, closingTheWindow_doesNotWait) {
    offscreenApplication();
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("x.pdf"));
    QFile file(path);
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(nestedForms());
    file.close();
    QElapsedTimer clock;
    {
        app::TextFiles files;
        files.read({path, path, path});
        QTest::qWait(300);
        clock.start();
    }
    EXPECT_LT(clock.elapsed(), 5'000);
}

TEST(HostilePdf, deepNestingLoopsAndHugePages_areRejectedWithAReason) {
    const QByteArray catalog = "<< /Type /Catalog /Pages 2 0 R >>";
    const QByteArray font = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>";
    const QByteArray page =
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Contents 5 0 R /Resources << /Font "
        "<< /F 4 0 R >> >> >>";
    const QByteArray pages = "<< /Type /Pages /Kids [3 0 R] /Count 1 >>";
    const QByteArray words = streamOf("BT /F 9 Tf (word) Tj ET");
    const QByteArray deep(500'000, '[');
    const QList<QByteArray> files{
        pdfWith({catalog, "<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 2 >>"}),
        pdfWith({catalog, "<< /Type /Pages /Kids [3 0 R] /Count 2147483647 >>", page, font, words}),
        pdfWith({catalog, pages, page, font, "5 0 R"}),
        pdfWith({catalog, pages, page, font, streamOf(deep)}),
        pdfWith({catalog, pages, page, font, deep}),
        pdfWith({"<< /Type /Catalog /Pages 2 0 R /X " + deep + " >>", pages, page, font, words}),
        pdfWith({catalog, pages,
                 "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 1e30 1e30] /Contents 5 0 R >>", font,
                 words}),
        pdfWith({catalog, pages, page, font,
                 streamOf(QByteArray(2000, 'q'),
                          "/Filter [" + QByteArray("/FlateDecode ").repeated(500) + "]")}),
    };
    for (const QByteArray& bytes : files) {
        const app::PdfText read =
            app::textOfPdf(bytes, QStringLiteral("x.pdf"), kMost, {}, {.wallMs = 5000});
        EXPECT_EQ(read.text.isEmpty(), !read.problem.isEmpty());
        EXPECT_EQ(read.problem.isEmpty(), read.end == PdfEnd::Text);
    }
}

TEST(HostilePdf, missingProgram_isReported) {
    const app::PdfText read =
        app::textOfPdf(pdfOf({QStringLiteral("words")}), QStringLiteral("x.pdf"), kMost, {},
                       {.program = QStringLiteral("/nowhere/lacuna")});
    EXPECT_EQ(read.end, PdfEnd::NotStarted);
    EXPECT_FALSE(read.problem.isEmpty());
}

TEST(HostilePdf, invalidChildOutput_isReportedAsACrash) {
    for (const char* program : {"/bin/true", "/bin/false", "/bin/echo"})
        EXPECT_EQ(app::textOfPdf(pdfOf({QStringLiteral("words")}), QStringLiteral("x.pdf"), kMost,
                                 {}, {.program = QString::fromLatin1(program)})
                      .end,
                  PdfEnd::Crashed)
            << program;
}

TEST(PdfExtraction, incompleteMessage_isRejected) {
    const QByteArray message = app::pdfMessage({.kind = app::PdfKind::Text,
                                                .pages = 2,
                                                .pictures = 1,
                                                .text = QStringLiteral("Gr\u00fc")});
    const auto read = app::pdfExtractionFrom(message);
    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(read->pages, 2);
    EXPECT_EQ(read->pictures, 1);
    EXPECT_EQ(read->text, QStringLiteral("Gr\u00fc"));
    for (qsizetype size = 0; size < message.size(); ++size)
        EXPECT_FALSE(app::pdfExtractionFrom(message.left(size)).has_value());
    EXPECT_FALSE(app::pdfExtractionFrom(message + 'x').has_value());
}

class PdfAttachmentTest : public WindowStage {};

TEST_F(PdfAttachmentTest, attachedPdf_isAChip_missingTextIsReported) {
    load();
    const QTemporaryDir folder;
    const auto file = [&folder](const char* name, const QByteArray& bytes) {
        const QString path = folder.filePath(QString::fromLatin1(name));
        QFile written(path);
        EXPECT_TRUE(written.open(QIODevice::WriteOnly));
        written.write(bytes);
        return path;
    };
    Q_EMIT window->prompt().filesDropped(
        {file("mixed.pdf", pdfOf({QStringLiteral("The key hangs behind the clock."), {}})),
         file("scan.pdf", pdfOf({{}}))});
    ASSERT_TRUE(QTest::qWaitFor([this] { return shows("scan.pdf has no text"); }, 20'000));
    EXPECT_EQ(window->prompt().draft().attachmentName, QStringLiteral("mixed.pdf"));
    EXPECT_TRUE(
        window->prompt().draft().attachmentText.contains(QStringLiteral("behind the clock")));
}

}  // namespace
}  // namespace lacuna::ui
