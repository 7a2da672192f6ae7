// SPDX-License-Identifier: MIT
public class EndsInJava {
    static native void run(String how);

    public static void main(String[] arguments) throws Exception {
        String how = arguments[0];
        System.loadLibrary("ends_in_java");
        run(how);
        if (how.equals("raise"))
            throw new Exception("nobody catches this");
        if (how.equals("exit"))
            System.exit(3);
        if (!how.equals("close"))
            Thread.sleep(20000);
    }
}
