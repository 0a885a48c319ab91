package io.kindling.engine.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StopMatcherTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                // pieces | stop texts | what comes out for each piece | the rest | stopped
                "a,b,c | x | 'a,b,c' | '' | false",
                "one STOP two | STOP | 'one ' | '' | true",
                "on,e ST,OP two,more | STOP | 'on,e ,,' | '' | true",
                "S,T,A | STOP | ',,STA' | '' | false",
                "aab | aac | 'aab' | '' | false",
                "xaa,ac | aac | 'x,a' | '' | true",
                "ab,cd | cd,bc | 'a,' | '' | true",
                "abab,abc | ababc | ',ab' | '' | true",
                "ST | STOP | '' | 'ST' | false",
                "END,x | END | ',' | '' | true",
            })
    void givesOutWhatCannotStop(String pieces, String stops, String out, String rest, boolean stopped) {
        StopMatcher matcher = new StopMatcher(List.of(stops.split(",")));
        List<String> given = Arrays.stream(pieces.split(",")).map(matcher::add).toList();
        assertThat(String.join(",", given)).isEqualTo(out);
        assertThat(matcher.stopped()).isEqualTo(stopped);
        assertThat(matcher.finish()).isEqualTo(rest);
    }

    @Test
    void anyCutGivesTheTextBeforeTheFirstStop() {
        Random random = new Random(1);
        int stopped = 0;
        for (int round = 0; round < 3000; round++) {
            StringBuilder text = new StringBuilder();
            for (int k = random.nextInt(30); k > 0; k--) {
                text.append((char) ('a' + random.nextInt(2)));
            }
            List<String> stops = List.of("abba", "bbb", "aaab");
            int first = stops.stream()
                    .mapToInt(text::indexOf)
                    .filter(at -> at >= 0)
                    .min()
                    .orElse(-1);
            StopMatcher matcher = new StopMatcher(stops);
            StringBuilder out = new StringBuilder();
            // Characters one by one: of overlapping stop texts the one that ends first ends the text.
            for (int at = 0; at < text.length(); at++) {
                out.append(matcher.add(text.substring(at, at + 1)));
            }
            out.append(matcher.finish());
            assertThat(matcher.stopped()).isEqualTo(first >= 0);
            if (first < 0) {
                assertThat(out).hasToString(text.toString());
            } else {
                assertThat(text.toString()).startsWith(out.toString());
                assertThat(stops).anySatisfy(stop -> assertThat(text.substring(out.length()))
                        .startsWith(stop));
                stopped++;
            }
        }
        assertThat(stopped).isGreaterThan(500);
    }

    @Test
    void emptyStopTextsNeverMatch() {
        StopMatcher matcher = new StopMatcher(List.of(""));
        assertThat(matcher.add("abc")).isEqualTo("abc");
        assertThat(matcher.stopped()).isFalse();
    }
}
