package io.kindling.engine.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kindling.engine.error.OptionException;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class UntrustedTest {
    @Test
    void whatIsReadOrRefusedWithAReasonIsWell() throws Exception {
        AtomicInteger readings = new AtomicInteger();
        Untrusted.read(readings::incrementAndGet);
        assertThat(readings).hasValue(1);
        Untrusted.read(() -> {
            throw new OptionException("no option is named that");
        });
    }

    @Test
    void aRefusalWithoutAReasonIsAFault() {
        assertThatThrownBy(() -> Untrusted.read(() -> {
                    throw new OptionException(" ");
                }))
                .isInstanceOf(AssertionError.class)
                .hasMessage("refused without a message")
                .hasCauseInstanceOf(OptionException.class);
    }

    @Test
    void whatIsNoRefusalIsAFault() {
        IOException broken = new IOException("broken");
        assertThatThrownBy(() -> Untrusted.read(() -> {
                    throw broken;
                }))
                .isSameAs(broken);
        StackOverflowError deep = new StackOverflowError();
        assertThatThrownBy(() -> Untrusted.read(() -> {
                    throw deep;
                }))
                .isSameAs(deep);
    }
}
