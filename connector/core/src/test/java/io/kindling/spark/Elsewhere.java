package io.kindling.spark;

import java.io.IOException;
import java.net.URI;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Set;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;

/** The local disk under another scheme, with the names of the files that were opened. */
public final class Elsewhere extends RawLocalFileSystem {
    static final Set<String> OPENED = Collections.synchronizedSet(new LinkedHashSet<>());

    @Override
    public URI getUri() {
        return URI.create("elsewhere:///");
    }

    @Override
    public FSDataInputStream open(Path path, int bufferSize) throws IOException {
        OPENED.add(path.getName());
        return super.open(path, bufferSize);
    }
}
