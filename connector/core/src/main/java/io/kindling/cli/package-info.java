/** The command line: {@code java -jar kindling.jar COMMAND}. Needs no Spark on the class path, except for the Spark commands. */
package io.kindling.cli;
