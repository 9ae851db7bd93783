import bench.Row;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.api.java.UDF1;

/** A function for Spark SQL, as a user with the message's class would write it: from bytes to a row of the fields. */
public final class FromProtobuf implements UDF1<byte[], org.apache.spark.sql.Row> {
  @Override
  public org.apache.spark.sql.Row call(byte[] bytes) throws Exception {
    Row row = Row.parseFrom(bytes);
    return RowFactory.create(
        row.getId(),
        row.getCustomer(),
        row.getCity(),
        new BigDecimal(new BigInteger(row.getAmount().getValue().toByteArray()), 2),
        row.getQuantity(),
        row.getPrice(),
        row.getPaid(),
        Instant.ofEpochSecond(row.getPlacedAt().getSeconds(), row.getPlacedAt().getNanos()),
        row.getNote(),
        row.getScore());
  }
}
