/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/sense/pressure.h"

#include "sense.h"

static Pressure pressure(Text text, ParseLog *log) {
        Pressure p;

        ASSERT_OK(pressure_parse(text, "proc/pressure/memory", &p, log));
        return p;
}

TEST(idle_files_of_the_five_kernels) {
        for (size_t k = 0; k < ELEMENTSOF(sense_kernels); k++) {
                Text text = sense_file(sense_kernels[k], "pressure-memory");
                ParseLog log = {};
                Pressure p = pressure(text, &log);

                ASSERT_EQ_U(log.n_issues, 0);
                ASSERT_TRUE(p.some.present && p.full.present);
                ASSERT_KNOWN(p.some.avg10_ppm, 0);
                ASSERT_KNOWN(p.full.avg300_ppm, 0);
                ASSERT_KNOWN(p.full.total_usec, 0);
                sense_free(text);
        }
}

TEST(percent_becomes_ppm_and_the_total_is_microseconds) {
        ParseLog log = {};
        Pressure p = pressure(
                TEXT("some avg10=12.34 avg60=0.01 avg300=100.00 total=4711\n"
                     "full avg10=5 avg60=0.10 avg300=99.99 total=18446744073709551615\n"),
                &log);

        ASSERT_KNOWN(p.some.avg10_ppm, 123400); /* 1 % is 10,000 ppm */
        ASSERT_KNOWN(p.some.avg60_ppm, 100);
        ASSERT_KNOWN(p.some.avg300_ppm, 1000000);
        ASSERT_KNOWN(p.some.total_usec, 4711);
        ASSERT_KNOWN(p.full.avg10_ppm, 50000);
        ASSERT_KNOWN(p.full.avg60_ppm, 1000);
        ASSERT_KNOWN(p.full.total_usec, UINT64_MAX);
        ASSERT_EQ_U(log.n_issues, 0);
}

TEST(a_line_that_is_absent_is_not_a_line_of_zeroes) {
        ParseLog log = {};
        Pressure p = pressure(TEXT("some avg10=0.00 total=7\n"), &log);

        ASSERT_TRUE(p.some.present && !p.full.present);
        ASSERT_UNKNOWN(p.full.total_usec);
        ASSERT_UNKNOWN(p.some.avg60_ppm);
        ASSERT_KNOWN(p.some.total_usec, 7);
        ASSERT_EQ_U(log.n_issues, 0);
}

TEST(malformed_values_are_absent_and_named) {
        ParseLog log = {};
        Pressure p = pressure(TEXT("some avg10=x avg60=-1.0 avg300=1.2.3 total=\n"
                                   "full avg10 future=9 total=99999999999999999999\n"
                                   "other total=3\n"
                                   "some total=8\n"
                                   "full total=12"),
                              &log);

        ASSERT_UNKNOWN(p.full.avg10_ppm);
        ASSERT_UNKNOWN(p.full.total_usec);
        ASSERT_KNOWN(p.some.total_usec, 8);
        ASSERT_UNKNOWN(p.some.avg10_ppm); /* of the first line: the last one counts as a whole */
        ASSERT_ISSUE(&log, 0, 1, "malformed number");
        ASSERT_STR(log.issue[0].about, "avg10");
        ASSERT_ISSUE(&log, 1, 1, "negative number");
        ASSERT_ISSUE(&log, 2, 1, "malformed number");
        ASSERT_ISSUE(&log, 3, 1, "number missing");
        ASSERT_ISSUE(&log, 4, 2, "number missing");
        ASSERT_ISSUE(&log, 5, 2, "number too large");
        ASSERT_ISSUE(&log, 6, 4, "duplicate key, the last one counts");
        ASSERT_ISSUE(&log, 7, 5, "the file ends inside this line");
        ASSERT_EQ_U(log.n_issues, 8);
}

TEST(a_file_cut_anywhere_never_shows_half_a_number) {
        static const char text[] = "some avg10=12.34 avg60=0.01 avg300=3.00 total=4711\n"
                                   "full avg10=1.00 avg60=0.00 avg300=0.00 total=1234\n";

        for (size_t n = 0; n < sizeof(text); n++) {
                Text cut = sense_copy((Text){ text, n });
                ParseLog log = {};
                Pressure p = pressure(cut, &log);

                ASSERT_TRUE(!p.some.present || p.some.total_usec.value == 4711);
                ASSERT_TRUE(!p.full.present || p.full.total_usec.value == 1234);
                ASSERT_TRUE(p.full.present || log.n_issues > 0 || p.some.present);
                sense_free(cut);
        }
}

TEST(empty_and_foreign_files_are_named) {
        ParseLog log = {};
        Pressure p = pressure(TEXT_NULL, &log);

        ASSERT_TRUE(!p.some.present);
        p = pressure(TEXT("\xff\xfe\0\n"), &log);
        ASSERT_TRUE(!p.some.present);
        ASSERT_ISSUE(&log, 0, 0, "the file is empty");
        ASSERT_ISSUE(&log, 1, 0, "nothing in this file is known");
}

TEST_MAIN()
